"""`result(run)`: the weights that another run leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftlang.diagnostics import Label, error, warning
from ftlang.names.files import Declared
from ftlang.names.planned import planned
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.sources import LocalPath, Result
from ftlang.schema.tune import Full
from ftlang.schema.types import UNREAD, Reading, refuse
from ftlang.syntax import ast

if TYPE_CHECKING:
    from ftlang.schema.run import Spec

FORM = "result(run, merged = true)"
LONGEST = 16  # runs that start from one another's results


class ResultOf(Record):
    """A reference to a run, and whether its merged weights are meant."""

    name: str = "result"

    def signature(self) -> str:
        """How it is written."""
        return FORM

    def read(self, call: ast.Call, at: Reading) -> object:
        """A Result, or UNREAD after an error."""
        run = call.args[0] if call.args else None
        wrong = [k.span for k in call.keywords if k.name.text != "merged"]
        wrong += [a.span for a in call.args[1:]]
        if run is None or wrong:
            known = did_you_mean(call.keywords[0].name.text, ["merged"]) if call.keywords else ()
            message = "`result` takes a run, and `merged`"
            span = wrong[0] if wrong else call.path.span
            at.found.append(error("FT212", message, span, help=known or (f"write `{FORM}`",)))
            return UNREAD
        merged = False
        for keyword in call.keywords:
            if not isinstance(keyword.value, ast.Bool):
                return refuse(keyword.value, "`true` or `false`", at.of("merged"))
            merged = keyword.value.value
        if not isinstance(run, ast.Path):
            help = ("write its name without quotes",) if isinstance(run, ast.Str) else ()
            return refuse(run, "the name of a run", at.of("result"), help)
        return self._of(run, merged, at) if at.scope is not None else UNREAD

    def _of(self, run: ast.Path, merged: bool, at: Reading) -> object:
        scope = at.scope
        assert scope is not None
        found = scope.document.find(run, "run")
        if found is None or found[1]:
            if not scope.document.is_partial(run.span):
                known = scope.document.known(run.span, "run")
                help = did_you_mean(run.text, known) or ("name a run of this file or of a `use`",)
                at.found.append(
                    error("FT136", f"there is no run `{run.text}`", run.span, help=help)
                )
            return UNREAD
        producer = found[0]
        if producer in scope.above or _is_this(producer, at):
            at.found.append(
                error(
                    "FT136",
                    f"`{run.text}` would start from its own result",
                    run.span,
                    labels=(Label(producer.span, "declared here"),),
                    help=("start from other weights",),
                )
            )
            return UNREAD
        spec = scope.result(producer) if len(scope.above) < LONGEST else None
        if len(scope.above) >= LONGEST or producer in scope.too_long:
            at.found.append(
                error(
                    "FT142",
                    f"`{run.text}` ends a chain of results that is too long to follow",
                    run.span,
                    notes=(f"more than {LONGEST} runs start from one another's results",),
                    help=("name the folder of its weights: `path(…)`",),
                )
            )
            return UNREAD
        if spec is None and producer in scope.later:
            at.found.append(planned(run.span, f"the result of `{run.text}`"))
            return UNREAD
        here = producer.module is scope.document.module
        if spec is None and here and scope.document.only is None:
            return UNREAD  # its errors are told in this very file
        if spec is None:
            at.found.append(
                error(
                    "FT136",
                    f"the run `{run.text}` has errors of its own",
                    run.span,
                    labels=(Label(producer.span, "declared here"),),
                    help=(f"check its file first: `ftc check {producer.module.source.name}`",),
                )
            )
            return UNREAD
        if here:
            self._moved(run, producer, spec, at)
        if merged or not isinstance(spec.tune, Full):
            what = "`result(…, merged = true)`" if merged else "`result(…)` of an adapter"
            at.found.append(planned(run.span, what))
            return UNREAD
        output = spec.output
        path = output.path if isinstance(output, LocalPath) else output
        env = output.env if isinstance(output, LocalPath) else None
        source = producer.module.source.folder
        if source is not None and env is None:
            path = scope.from_here(source, path)
        return Result(LocalPath(f"{path}/final" if path else "final", env), producer.name)

    def _moved(self, run: ast.Path, producer: Declared, plain: Spec, at: Reading) -> None:
        """FT143 where a profile or `--set` of this call leads the producer somewhere else."""
        assert at.scope is not None
        changed = at.scope.layered(producer)
        if changed is None:
            return
        same = changed.output_folder == plain.output_folder
        if same and isinstance(changed.tune, Full) == isinstance(plain.tune, Full):
            return
        folder, name = changed.output_folder, producer.name
        what = f"is `tune {changed.tune.kind}`" if same else f"writes to `{folder}`"
        at.found.append(
            warning(
                "FT143",
                f"`result({run.text})` is what `{name}` leaves behind without these options",
                run.span,
                notes=(f"with the profiles and `--set` of this call `{name}` {what}",),
                help=(
                    f'name the folder that is meant: `path("{folder}/final")`',
                    "or compile the runs that go on from it without these options",
                ),
            )
        )


def _is_this(producer: Declared, at: Reading) -> bool:
    assert at.scope is not None
    return producer.module is at.scope.document.module and producer.name == at.run
