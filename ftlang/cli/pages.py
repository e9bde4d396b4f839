"""Pages of the diagnostics that the command line itself gives, for `ftc explain`."""

from __future__ import annotations

PAGES = {
    "FT601": """A generated file was edited

`ftc compile` found a file that it wrote before and that was edited since.  It writes nothing, so
that no work is lost.  The script's first line holds a digest of everything below it;
`train.ftmap.json` holds the digests of the other files.

What to do: say in the spec what the edit says, or keep the edited file under another name (or
delete it) and compile again, or compile into another folder with `-o DIR`.
""",
    "FT602": """A file in the way was not written by ftc

A file where `ftc compile` wants to write has no header of ftc, or no record of having been
written by it.  It writes nothing.

What to do: move or delete the file, or compile into another folder with `-o DIR`.
""",
    "FT604": """The generated files cannot be written

The system refused to write into the output folder: permissions, a full disk, or a file where a
folder should be.  Files that were there before are as they were.
""",
    "FT901": """A bug in ftc

ftc stopped on an exception of its own.  Your files are as they were; no spec should be able to
cause this.

What to do: run again with `--debug`, and report the spec together with the traceback.
""",
}
