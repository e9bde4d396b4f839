"""`python -m ftlang` is `ftc`."""

from ftlang.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
