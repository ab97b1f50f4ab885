"""Crashes, full disks, denied permissions and Ctrl-C: `out/` is whole old or whole new."""

from __future__ import annotations

import ctypes
import errno
import itertools
import os
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compiler.errors import EnvironmentFailure, ExitCode
from compiler.write import Plan, plan, recover, replace, stage, swap
from tests.write.support import NEW, OLD, compile_to, owned_tree, stamps, tree, write

KILLS = 200
FIRST, SECOND = ({f"{n % 3}/{n}.yaml": f"{turn}\n" for n in range(turn, turn + 5)} for turn in (0, 3))
MINE = {"notes.txt": "mine\n", "0/mine.yaml": "mine\n", "link": "-> nowhere"}
WHOLE = ({**FIRST, **MINE}, {**SECOND, **MINE})
# Every call through which writing can fail, in the order in which a person would guess them.
CALLS = ("open", "mkdir", "write", "fchmod", "fsync", "link", "rename", "unlink", "rmdir", "scandir", "stat", "read")


def prepare(root: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool = True) -> None:
    """Compile the first tree and put other people's files into it."""
    # Syncing matters in a power cut; without it more of the moments of a crash lie between the steps.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    if not exchange:
        monkeypatch.setattr(swap, "_exchange", without_exchange)
    compile_to(root, FIRST)
    write(root / "out/notes.txt", "mine\n")
    write(root / "out/0/mine.yaml", "mine\n")
    (root / "out/link").symlink_to("nowhere")


def second(number: int) -> dict[str, str]:
    """Return a second tree with bytes that gpuc never wrote before, so that no run saves a step."""
    return {**SECOND, "number.yaml": f"{number}\n"}


def is_whole(root: Path, number: int) -> bool:
    """Return whether `out/` is the first tree or that second one, with all files of others."""
    return owned_tree(root / "out") in ({**FIRST, **MINE}, {**second(number), **MINE})


def without_exchange(*_arguments: object) -> bool:
    """Stand for a file system that cannot exchange two folders."""
    return False


def in_child(work: Callable[[], None], kill_after: float | None = None) -> int:
    """Run `work` in a forked process, kill it if asked `kill_after` seconds after its start, and return its status.

    Forked, since starting Python takes longer than writing `out/` a hundred times.
    """
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            work()
            code = 0
        os._exit(code)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_kill_9_at_random_moments_leaves_a_whole_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool
) -> None:
    prepare(tmp_path, monkeypatch, exchange=exchange)

    def work() -> None:
        for files in itertools.cycle((SECOND, FIRST)):
            compile_to(tmp_path, files)

    chance = random.Random(7)  # noqa: S311
    broken = []
    for _ in range(KILLS):
        assert os.WTERMSIG(in_child(work, chance.uniform(0.001, 0.015))) == signal.SIGKILL
        if not exchange:
            recover(tmp_path)
        if owned_tree(tmp_path / "out") not in WHOLE:
            broken.append(owned_tree(tmp_path / "out"))
    assert broken == []


class Fault:
    """Makes the n-th of the calls do something else first; the calls before and after it work."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, action: Callable[[], None]) -> None:
        self.left = number
        for name in CALLS:
            monkeypatch.setattr(os, name, self._wrapped(getattr(os, name), action))

    def _wrapped(self, call: Callable[..., Any], action: Callable[[], None]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == -1:
                action()
            return call(*arguments, **options)

        return wrapper


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt_itself() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def fail(*_arguments: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_kill_9_before_every_single_step_leaves_a_whole_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool
) -> None:
    prepare(tmp_path, monkeypatch, exchange=exchange)
    broken = []
    for number in itertools.count():

        def work(number: int = number) -> None:
            with monkeypatch.context() as patch:
                Fault(patch, number, kill_itself)
                compile_to(tmp_path, second(number))

        status = in_child(work)
        if not exchange:
            recover(tmp_path)
        if not is_whole(tmp_path, number):
            broken.append(number)
        if status == 0:
            break
        compile_to(tmp_path, FIRST)
    assert (broken, number > 80) == ([], True)


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_a_failure_of_any_single_step_leaves_out_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool
) -> None:
    prepare(tmp_path, monkeypatch, exchange=exchange)
    broken = []
    failed = 0
    for number in itertools.count():
        before = stamps(tmp_path / "out")
        with monkeypatch.context() as patch:
            fault = Fault(patch, number, fail)
            try:
                compile_to(tmp_path, second(number))
                good = True
            except EnvironmentFailure:
                good = False
        failed += not good
        whole = owned_tree(tmp_path / "out") == {**second(number), **MINE}
        if not (whole if good else stamps(tmp_path / "out") == before):
            broken.append(number)
        compile_to(tmp_path, FIRST)
        if fault.left >= 0:
            break
    assert (broken, failed > 50) == ([], True)


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_ctrl_c_at_any_step_leaves_a_whole_tree_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, exchange: bool
) -> None:
    prepare(tmp_path, monkeypatch, exchange=exchange)
    broken = []
    interrupted = 0
    for number in itertools.count():
        with monkeypatch.context() as patch:
            fault = Fault(patch, number, interrupt_itself)
            try:
                compile_to(tmp_path, second(number))
            except KeyboardInterrupt:
                interrupted += 1
        if not is_whole(tmp_path, number):
            broken.append(number)
        compile_to(tmp_path, FIRST)
        if fault.left >= 0:
            break
    left = sorted(path.name for path in (tmp_path / ".gpuc-work").iterdir())
    assert (broken, interrupted > 80, left) == ([], True, [".gitignore", "lock", "written"])


def test_a_full_disk_is_reported_with_a_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)

    def full(_fd: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(EnvironmentFailure) as caught:
        compile_to(tmp_path, NEW)
    (found,) = caught.value.diagnostics
    assert (found.rule, found.message, found.help, caught.value.exit_code) == (
        "GPU907",
        "writing out/ failed: No space left on device; out/ is as it was",
        "free some space on the disk",
        ExitCode.ENVIRONMENT,
    )


def test_a_limit_on_file_sizes_leaves_out_as_it_was(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    before = stamps(tmp_path / "out")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(EnvironmentFailure, match="File too large"):
            compile_to(tmp_path, {**NEW, "big.yaml": "x" * 5000})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (stamps(tmp_path / "out"), (tmp_path / ".gpuc-work/new").exists()) == (before, False)


def test_a_limit_on_open_files_leaves_out_as_it_was(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    before = stamps(tmp_path / "out")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    held = []
    try:
        with suppress(OSError):
            while True:
                held.append(os.dup(0))
        for _ in range(8):
            os.close(held.pop())
        with pytest.raises(EnvironmentFailure, match="Too many open files"):
            compile_to(tmp_path, {**NEW, **{f"{n}.yaml": "x\n" for n in range(40)}})
    finally:
        for fd in held:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert stamps(tmp_path / "out") == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("name", [".", "out", ".gpuc-work"])
def test_a_folder_without_permission_leaves_out_as_it_was(tmp_path: Path, name: str) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / name).chmod(0o555)
    before = tree(tmp_path / "out")
    try:
        with pytest.raises(EnvironmentFailure, match="Permission denied"):
            compile_to(tmp_path, NEW)
        left = tree(tmp_path / "out")
    finally:
        (tmp_path / name).chmod(0o755)
    assert left == before


def test_a_missing_root_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="No such file or directory"):
        plan(tmp_path / "nowhere", OLD)


def in_namespace(root: Path, mount: str, code: str) -> str:
    """Run shell and Python in a mount namespace of their own; return what they print, or skip."""
    program = "import sys\nfrom pathlib import Path\nfrom compiler.errors import GpucError\n"
    program += "from tests.write.support import OLD, NEW, compile_to, owned_tree\nroot = Path(sys.argv[1])\n" + code
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare is not installed")
    start = [unshare, "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*start, "sh", "-ec", mount, "sh", str(root)], check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"no mount namespace here: {tried.stderr.strip()}")
    command = [*start, "sh", "-ec", f'{mount}\nexec "$2" -c "$3" "$1"', "sh", str(root), sys.executable, program]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert done.stderr == ""
    return done.stdout


TRY = """
try:
    compile_to(root, {**NEW, "big.yaml": "x" * 100_000})
except GpucError as error:
    print(error.diagnostics[0].rule, error.diagnostics[0].message)
print(owned_tree(root / "out") == OLD)
"""


def test_a_disk_that_is_really_full_leaves_out_as_it_was(tmp_path: Path) -> None:
    printed = in_namespace(tmp_path, 'mount -t tmpfs -o size=64k none "$1"', "compile_to(root, OLD)\n" + TRY)
    assert printed == "GPU907 writing out/ failed: No space left on device; out/ is as it was\nTrue\n"


def test_a_read_only_file_system_leaves_out_as_it_was(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    printed = in_namespace(tmp_path, 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"', TRY)
    assert printed == "GPU907 taking the lock failed: Read-only file system (lock); out/ is as it was\nTrue\n"


def test_a_read_only_file_system_is_fine_while_out_is_current(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    shutil.rmtree(tmp_path / ".gpuc-work")
    code = "compile_to(root, OLD)\nprint(owned_tree(root / 'out') == OLD)"
    assert in_namespace(tmp_path, 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"', code) == "True\n"


@pytest.mark.parametrize("where", ["out", "out/base"])
def test_a_mount_point_leaves_out_as_it_was(tmp_path: Path, where: str) -> None:
    compile_to(tmp_path, OLD)
    mount = f'o="$1/{where}"; c="$1/copy"; cp -a "$o" "$c"; mount -t tmpfs none "$o"; cp -a "$c"/. "$o"; rm -r "$c"'
    printed = in_namespace(tmp_path, mount, TRY)
    assert (printed[:6], printed.splitlines()[1:]) == ("GPU907", ["True"])


def test_a_folder_of_a_container_image_that_cannot_be_moved_is_explained(tmp_path: Path) -> None:
    for name in ("lower", "rest"):
        (tmp_path / name).mkdir()
    compile_to(tmp_path / "lower", OLD)
    mount = 'cd "$1"; mkdir -p rest/up rest/work; '
    mount += "mount -t overlay -o userxattr,lowerdir=lower,upperdir=rest/up,workdir=rest/work none lower"
    printed = in_namespace(tmp_path, mount, "root = root / 'lower'\n" + TRY).splitlines()
    assert printed == ["GPU907 writing out/ failed: Invalid cross-device link (out); out/ is as it was", "True"]


def test_another_programs_edit_at_the_last_moment_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)
    real = swap.swap

    def late(root_fd: int, work_fd: int) -> None:
        monkeypatch.setattr(replace, "swap", real)
        write(tmp_path / "out/base/a.yaml", "edited\n")
        real(root_fd, work_fd)

    monkeypatch.setattr(replace, "swap", late)
    with pytest.raises(EnvironmentFailure, match=r"another program changed out/base/a\.yaml"):
        compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**OLD, "base/a.yaml": "edited\n"}


def test_another_programs_new_file_at_the_last_moment_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)
    real = swap.swap

    def late(root_fd: int, work_fd: int) -> None:
        monkeypatch.setattr(replace, "swap", real)
        write(tmp_path / "out/new.txt", "mine\n")
        real(root_fd, work_fd)

    monkeypatch.setattr(replace, "swap", late)
    with pytest.raises(EnvironmentFailure, match=r"another program changed out/new\.txt"):
        compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**OLD, "new.txt": "mine\n"}


def test_ctrl_c_right_after_the_swap_does_not_lose_another_programs_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_to(tmp_path, OLD)
    real = swap.swap

    def late(root_fd: int, work_fd: int) -> None:
        monkeypatch.setattr(replace, "swap", real)
        write(tmp_path / "out/base/a.yaml", "edited\n")
        real(root_fd, work_fd)
        interrupt_itself()

    monkeypatch.setattr(replace, "swap", late)
    with pytest.raises(KeyboardInterrupt):
        compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**OLD, "base/a.yaml": "edited\n"}


@pytest.mark.parametrize("name", ["base", "overlays/x"])
def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    compile_to(tmp_path, OLD)
    elsewhere = tmp_path / "elsewhere"
    real = stage.new_tree

    def late(made: Plan) -> stage.Folder:
        (tmp_path / "out" / name).rename(elsewhere)
        (tmp_path / "out" / name).symlink_to(elsewhere)
        return real(made)

    monkeypatch.setattr(replace, "new_tree", late)
    with pytest.raises(EnvironmentFailure):
        compile_to(tmp_path, NEW)
    links = {path.stat().st_nlink for path in elsewhere.rglob("*.yaml")}
    assert ((tmp_path / "out" / name).is_symlink(), links) == (True, {1})


def test_a_file_that_becomes_a_link_meanwhile_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)
    secret = write(tmp_path / "secret", "password\n")
    real = os.open

    def late(path: str, *arguments: Any, **options: Any) -> int:
        if path == "a.yaml":
            (tmp_path / "out/base/a.yaml").unlink()
            (tmp_path / "out/base/a.yaml").symlink_to(secret)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(EnvironmentFailure, match="symbolic links"):
        plan(tmp_path, NEW)


def test_what_is_written_meanwhile_into_a_file_that_stays_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / "out/log", "one\n")
    real = swap.swap

    def late(root_fd: int, work_fd: int) -> None:
        with (tmp_path / "out/log").open("a") as log:
            log.write("two\n")
        real(root_fd, work_fd)

    monkeypatch.setattr(replace, "swap", late)
    compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**NEW, "log": "one\ntwo\n"}


def no_links(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def test_where_hard_links_are_impossible_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch)
    (tmp_path / "out/notes.txt").chmod(0o600)
    name = str(tmp_path / "out/notes.txt")
    before = stamps(tmp_path / "out")[name]
    monkeypatch.setattr(os, "link", no_links)
    compile_to(tmp_path, SECOND)
    assert (owned_tree(tmp_path / "out"), stamps(tmp_path / "out")[name][1:]) == (WHOLE[1], before[1:])


def test_a_special_file_that_cannot_be_linked_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)
    os.mkfifo(tmp_path / "out/pipe")
    before = stamps(tmp_path / "out")
    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(EnvironmentFailure):
        compile_to(tmp_path, NEW)
    assert stamps(tmp_path / "out") == before


@pytest.mark.skipif(sys.platform != "linux", reason="the system call's number is Linux's")
def test_a_c_library_without_the_exchange_call_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch)
    library = SimpleNamespace(syscall=ctypes.CDLL(None, use_errno=True).syscall)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    monkeypatch.setattr(swap, "_set_aside", fail)
    compile_to(tmp_path, SECOND)
    assert owned_tree(tmp_path / "out") == WHOLE[1]


def test_an_unknown_machine_sets_out_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path, monkeypatch)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace(syscall=fail))
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    compile_to(tmp_path, SECOND)
    assert owned_tree(tmp_path / "out") == WHOLE[1]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP], ids=errno.errorcode.get)
def test_a_file_system_that_cannot_exchange_sets_out_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_arguments: object) -> int:
        ctypes.set_errno(number)
        return -1

    prepare(tmp_path, monkeypatch)
    library = SimpleNamespace(renameat2=refuse, renameatx_np=refuse)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    compile_to(tmp_path, SECOND)
    assert owned_tree(tmp_path / "out") == WHOLE[1]


def test_a_reader_sees_a_whole_tree_while_another_run_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, FIRST)
    monkeypatch.setattr(os, "fsync", lambda _: None)

    def work() -> None:
        for files in itertools.chain.from_iterable(itertools.repeat((SECOND, FIRST), 100)):
            compile_to(tmp_path, files)
            time.sleep(0.002)

    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            work()
        os._exit(0)
    seen = set()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        found = plan(tmp_path, FIRST)
        seen.add((found.added, found.changed, found.removed))
    other = plan_of(tmp_path, SECOND)
    assert seen <= {((), (), ()), other}


def plan_of(root: Path, present: dict[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return what `plan` says about the first tree where another one is present."""
    compile_to(root, present)
    found = plan(root, FIRST)
    return found.added, found.changed, found.removed


def test_a_bug_in_the_exchange_call_is_not_taken_for_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __getattr__(self, _name: str) -> Callable[..., int]:
            def refuse(*_arguments: object) -> int:
                ctypes.set_errno(errno.EBUSY)
                return -1

            return refuse

    compile_to(tmp_path, OLD)
    before = stamps(tmp_path / "out")
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library())
    with pytest.raises(EnvironmentFailure, match="Device or resource busy"):
        compile_to(tmp_path, NEW)
    assert stamps(tmp_path / "out") == before


def test_a_very_deep_folder_of_others_stops_the_run(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out" / ("d/" * 120)).mkdir(parents=True)
    with pytest.raises(EnvironmentFailure, match="nested deeper than 100"):
        compile_to(tmp_path, NEW)
    assert (tmp_path / "out/base/a.yaml").read_text() == OLD["base/a.yaml"]
