"""Plan to files: laid out, mapped back to the spec, digested; nothing is decided here."""
