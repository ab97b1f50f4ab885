"""Replacing `out/`: whole old or whole new at any moment."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure, GpucError, InputError
from compiler.write import record
from compiler.write.comparison import Plan, compare
from compiler.write.disk import failures, folder, kind, root_folder
from compiler.write.edits import find_hand_edits
from compiler.write.paths import OUT, in_out
from compiler.write.scan import scan, unchanged_since
from compiler.write.stage import Stage, new_tree
from compiler.write.swap import swap, uninterrupted
from compiler.write.work import NEW, lock, tidy, work_folder


def apply(plan: Plan, *, force: bool) -> None:
    """Make `out/` what the plan says, in one step; where it already is, touch nothing.

    `out/` is read again under the lock, so a plan may be old. On any failure `out/` is as it was.

    Args:
        plan: what `plan` returned.
        force: overwrite hand edits that are not committed in files that gpuc owns. Files that it does not own are
            never overwritten.

    Raises:
        InputError: files that gpuc does not own are in the way (GPU903, GPU906), `.gpuc.json` is not trusted
            (GPU905), a path is impossible (GPU901, GPU902), or hand edits would be lost (GPU904); each is named.
        EnvironmentFailure: no space, no permission, a read-only file system (GPU907), another run (GPU908), or
            another program that changes `out/` at the same time (GPU909).
    """
    if plan.is_current:
        with suppress(GpucError):
            _remember(plan)
        return
    if plan.blocked:
        raise InputError(plan.blocked)
    with lock(plan.root):
        now = compare(plan.root, plan.files)
        if now.blocked:
            raise InputError(now.blocked)
        if now.is_current:
            return
        with failures(f"writing {OUT}/"), root_folder(now.root) as root_fd, work_folder(root_fd) as work_fd:
            if not force and (edits := find_hand_edits(now, frozenset(record.known(work_fd)))):
                raise InputError(edits)
            try:
                _replace(now, root_fd, work_fd)
            except BaseException:
                with suppress(OSError):
                    tidy(root_fd, work_fd)
                raise
            # From here on the new tree is in place; what cannot be deleted now, the next run deletes.
            with suppress(OSError):
                tidy(root_fd, work_fd)


def _remember(plan: Plan) -> None:
    """Record that gpuc would have written what is there, for those who keep `out/` without git."""
    with failures(f"writing beside {OUT}/"), root_folder(plan.root) as root_fd, work_folder(root_fd) as work_fd:
        if not set(map(record.digest, plan.files.values())) <= set(record.known(work_fd)):
            with lock(plan.root):
                record.remember(work_fd, plan.files.values())


def _replace(plan: Plan, root_fd: int, work_fd: int) -> None:
    """Build the new tree beside `out/`, swap, and make sure that nobody changed the old one meanwhile."""
    stage = Stage()
    existed = kind(OUT, root_fd) is not None
    os.mkdir(NEW, 0o700, dir_fd=work_fd)
    with ExitStack() as stack:
        source = stack.enter_context(folder(OUT, root_fd)) if existed else None
        stage.write(new_tree(plan), source, stack.enter_context(folder(NEW, work_fd)))
    record.remember(work_fd, plan.files.values())
    with uninterrupted():
        swap(root_fd, work_fd)
        if existed:
            try:
                _check_untouched(plan, work_fd, stage.copied)
            except (OSError, EnvironmentFailure):
                swap(root_fd, work_fd)
                raise


def _check_untouched(plan: Plan, work_fd: int, copied: set[str]) -> None:
    """Compare the old tree, which nobody can reach by its name any more, with what the plan saw of it."""
    after = scan(NEW, work_fd, lambda _: False)
    if differing := unchanged_since(plan.entries, after, {*plan.changed, *plan.removed, *copied}):
        names = ", ".join(map(in_out, differing[:5]))
        message = f"another program changed {names} while gpuc was writing; {OUT}/ is as that program left it"
        raise EnvironmentFailure(Diagnostic("GPU909", message, help="wait until it is done and run the command again"))
