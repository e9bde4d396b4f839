"""The language described from its own schema: pages of `ftc explain`, REFERENCE.md, JSON Schema."""
