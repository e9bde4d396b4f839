"""What emitted training scripts import; each module stands alone, so nothing is imported here."""
