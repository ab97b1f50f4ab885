"""Files that are no input at all, or no YAML that every reader understands alike."""

from __future__ import annotations

from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, STACK_TEXT, Broken, overlay

_PLAIN = OVERLAY_TEXT.encode()
_CLUSTER = "cluster: homelab\n"


def _raw(id_: str, content: str | bytes, rule: str, *says: str, at: tuple[int, int]) -> Broken:
    return Broken(id_, OVERLAY, content, rule, says, at)


CONTENTS = (
    _raw("empty", b"", "GPU015", "empty", at=(1, 1)),
    _raw("only-spaces", b"   \n\n", "GPU015", "empty", at=(1, 1)),
    _raw("only-comments", b"# nothing\n", "GPU015", "only comments", at=(1, 1)),
    _raw("only-a-document-start", b"---\n", "GPU015", "empty", at=(1, 1)),
    _raw("null", b"null\n", "GPU015", "empty", at=(1, 1)),
    _raw("a-list", b"- a\n", "GPU016", "a list", at=(1, 1)),
    _raw("a-word", b"hello\n", "GPU016", "a single value", at=(1, 1)),
    _raw("a-number", b"42\n", "GPU016", "a single value", at=(1, 1)),
    _raw("binary", b"\x7fELF\x02\x01\x01\x00\x00", "GPU006", "NUL byte", at=(1, 8)),
    _raw("gzip", b"\x1f\x8b\x08\x00abc", "GPU005", "not UTF-8", at=(1, 2)),
    _raw("png", b"\x89PNG\r\n\x1a\n", "GPU005", "not UTF-8", at=(1, 1)),
    _raw("utf-16-le", OVERLAY_TEXT.encode("utf-16"), "GPU005", "UTF-16", at=(1, 1)),
    _raw("utf-16-be", b"\xfe\xff" + OVERLAY_TEXT.encode("utf-16-be"), "GPU005", "UTF-16", at=(1, 1)),
    _raw("utf-32", OVERLAY_TEXT.encode("utf-32"), "GPU005", "UTF-32", at=(1, 1)),
    _raw("utf-16-without-mark", OVERLAY_TEXT.encode("utf-16-le"), "GPU006", "NUL", at=(1, 2)),
    _raw("latin-1", _PLAIN.replace(b"homelab", b"caf\xe9"), "GPU005", "0xe9", "line 3", at=(3, 13)),
    _raw("overlong-utf-8", _PLAIN.replace(b"homelab", b"\xc0\xaf"), "GPU005", "0xc0", at=(3, 10)),
    _raw("surrogate", OVERLAY_TEXT.replace("homelab", "\ud800"), "GPU005", "not UTF-8", at=(3, 10)),
    _raw("nul-byte", _PLAIN.replace(b"homelab", b"home\x00lab"), "GPU006", "NUL byte", at=(3, 14)),
    _raw("escape-character", _PLAIN.replace(b"homelab", b"\x1b[31mred"), "GPU006", "U+001B", at=(3, 10)),
    _raw("backspace", _PLAIN.replace(b"homelab", b"home\x08lab"), "GPU006", "U+0008", at=(3, 14)),
    _raw("delete-character", _PLAIN.replace(b"homelab", b"home\x7flab"), "GPU006", "U+007F", at=(3, 14)),
    _raw("next-line", OVERLAY_TEXT.replace("homelab", "home\x85lab"), "GPU006", "U+0085", at=(3, 14)),
    _raw("line-separator", OVERLAY_TEXT.replace("homelab", "home\u2028lab"), "GPU006", "U+2028", at=(3, 14)),
    _raw("text-from-right-to-left", OVERLAY_TEXT.replace("homelab", "\u202ebal"), "GPU006", "U+202E", at=(3, 10)),
    _raw("byte-order-mark-inside", OVERLAY_TEXT.replace("homelab", "\ufeffhomelab"), "GPU006", "U+FEFF", at=(3, 10)),
    _raw("ten-megabytes", b"# " + b"x" * 10_000_000 + b"\n" + _PLAIN, "GPU004", "1 MiB", at=(1, 1)),
    _raw("a-byte-too-large", _PLAIN + b"#" * ((1 << 20) + 1 - len(_PLAIN)), "GPU004", "1 MiB", at=(1, 1)),
    _raw("deep-flow", b"a: " + b"[" * 2000 + b"]" * 2000 + b"\n", "GPU009", "nested", at=(1, 103)),
    _raw("deep-block", "".join(f"{' ' * i}a:\n" for i in range(500)).encode(), "GPU009", "nested", at=(101, 101)),
    _raw("unclosed-depth", b"[" * 900_000, "GPU009", "nested", at=(1, 101)),
    _raw("json-with-a-trailing-brace", b'{"kind": "Overlay"}}\n', "GPU013", "ended", at=(1, 20)),
    _raw("html", b"<!DOCTYPE html>\n<html></html>\n", "GPU016", "a single value", at=(1, 1)),
    _raw("template", b"cluster: {{ .Values.cluster }}\n", "GPU017", "template", at=(1, 11)),
)

SYNTAX = (
    overlay("tab", "    nodes:", "§\tnodes:", "GPU007", "Use spaces"),
    overlay("tab-behind-spaces", "    nodes:", "    §\tnodes:", "GPU007", "Use spaces"),
    overlay("anchor", "cluster: homelab", "cluster: §&c homelab", "GPU010", "anchor"),
    overlay("alias-without-anchor", "cluster: homelab", "cluster: §*c", "GPU010", "alias"),
    overlay("tag", "cluster: homelab", "cluster: §!!str homelab", "GPU011", "tag"),
    overlay("python-tag", "cluster: homelab", "cluster: §!!python/object/apply:os.system [id]", "GPU011", "tag"),
    overlay("binary-tag", "cluster: homelab", "cluster: §!!binary aGk=", "GPU011", "tag"),
    overlay("merge-key", _CLUSTER, _CLUSTER + "§<<: {a: b}\n", "GPU012", "merge key"),
    overlay("second-document", _CLUSTER, _CLUSTER + "§---\na: b\n---\n", "GPU013", "second document"),
    overlay("text-behind-the-end", _CLUSTER, _CLUSTER + "...\n§", "GPU013", "ended"),
    Broken("yaml-directive", OVERLAY, "§%YAML 1.1\n---\n" + OVERLAY_TEXT, "GPU014", ("directives",)),
    Broken("tag-directive", OVERLAY, "§%TAG ! tag:x,2000:\n---\n" + OVERLAY_TEXT, "GPU014", ("directives",)),
    overlay("duplicate-key", _CLUSTER, _CLUSTER + "§cluster: other\n", "GPU018", "twice"),
    overlay(
        "duplicate-key-in-flow", "strategy: time-slicing,", "strategy: mps, §strategy: time-slicing,", "GPU018", "twice"
    ),
    overlay("duplicate-key-other-quotes", _CLUSTER, _CLUSTER + "§'cluster': other\n", "GPU018", "twice"),
    overlay("duplicate-block", "workloads:\n", "workloads: []\n§workloads:\n", "GPU018", "twice"),
    overlay("number-as-key", _CLUSTER, _CLUSTER + "§1: a\n", "GPU017", 'Quote it: "1"'),
    overlay("boolean-as-key", _CLUSTER, _CLUSTER + "§true: a\n", "GPU017", 'Quote it: "true"'),
    overlay("null-as-key", _CLUSTER, _CLUSTER + "§~: a\n", "GPU017", "not a string"),
    overlay("no-key", _CLUSTER, _CLUSTER + "§: a\n", "GPU008", "does not continue"),
    overlay("list-as-key", _CLUSTER, _CLUSTER + "§[a]: b\n", "GPU017", "cannot be a key"),
    overlay("mapping-as-key", _CLUSTER, _CLUSTER + "§{a: b}: b\n", "GPU017", "cannot be a key"),
    overlay("huge-number", "replicas: 5", "replicas: §99999999999999999999", "GPU019", "64 bits"),
    overlay("number-of-a-million-digits", "replicas: 5", "replicas: §" + "9" * 900_000, "GPU019", "64 bits"),
    overlay("huge-float", "replicas: 5", "replicas: §1e999", "GPU019", "too large"),
    overlay("infinity", "replicas: 5", "replicas: §.inf", "GPU019", "not a finite number"),
    overlay("not-a-number", "replicas: 5", "replicas: §.nan", "GPU019", "not a finite number"),
    overlay("leading-zero", "replicas: 5", "replicas: §010", "GPU020", "octal"),
    overlay("quote-not-closed", _CLUSTER, 'cluster: §"homelab\n', "GPU008", "never closed"),
    overlay("single-quote-not-closed", _CLUSTER, "cluster: §'homelab\n", "GPU008", "never closed"),
    overlay("text-behind-a-quote", _CLUSTER, 'cluster: "home" §lab\n', "GPU008", "closing quote"),
    overlay(
        "bracket-not-closed",
        "[{key: dedicated, value: ai, effect: NoSchedule}]",
        "§[{key: a, effect: NoSchedule}",
        "GPU008",
        "not closed",
    ),
    overlay("brace-not-closed", "mig: {strategy: none}", "mig: §{strategy: none", "GPU008", "not closed"),
    overlay("colon-in-a-value", _CLUSTER, "cluster: home§: lab\n", "GPU008", "quote the value"),
    overlay("colon-forgotten", _CLUSTER, "§cluster homelab\n", "GPU008", "neither"),
    overlay("space-behind-colon-forgotten", _CLUSTER, "§cluster:homelab\n", "GPU008", "neither"),
    overlay("list-behind-a-key", "workloads:\n  - {", "workloads: §- {", "GPU008", "next line"),
    overlay(
        "dash-forgotten",
        "  - {name: ollama, namespace: ollama, vram: 6Gi}\n",
        "  - name: a\n    namespace: b\n  §name: c\n",
        "GPU008",
        "`-`",
    ),
    overlay("indented-too-little", "    gpu:", "   §gpu:", "GPU008", "indented"),
    overlay("value-begins-with-percent", "cluster: homelab", "cluster: §%home", "GPU008", "quotes"),
    overlay("value-begins-with-at", "cluster: homelab", "cluster: §@home", "GPU008", "quotes"),
    overlay("value-begins-with-backtick", "cluster: homelab", "cluster: §`home`", "GPU008", "quotes"),
    overlay("value-begins-with-star", "cluster: homelab", "cluster: §* home", "GPU008", "quotes"),
    overlay("wrong-escape", "cluster: homelab", 'cluster: "a§\\qb"', "GPU008", "escape"),
    overlay("half-an-escape", "cluster: homelab", 'cluster: "a\\x§1"', "GPU008", "hex"),
    overlay("missing-comma", "{key: dedicated, value: ai, effect", "§{key: dedicated, value: ai effect", "GPU008", ""),
    overlay(
        "merge-conflict",
        _CLUSTER,
        "§<<<<<<< HEAD\ncluster: a\n=======\ncluster: b\n>>>>>>> branch\n",
        "GPU022",
        "merge conflict",
    ),
    overlay(
        "comma-for-a-value",
        "sharing: {strategy: time-slicing, replicas: 5}",
        "§sharing: {strategy: time-slicing, replicas: ,}",
        "GPU033",
        "add `replicas`",
    ),
)

_BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))

MANY = {
    "alias-bomb": (OVERLAY, _BOMB, "GPU010"),
    "every-line-wrong": (OVERLAY, "".join(f"k: &a{i} 1\n" for i in range(200)), "GPU021"),
    "sixty-thousand-unknown-keys": (STACK, STACK_TEXT + "".join(f"k{i}: 1\n" for i in range(60_000)), "GPU021"),
}

FILE_CASES = (*CONTENTS, *SYNTAX)
