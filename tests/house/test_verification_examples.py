"""The code that the guide gives to receivers, run in each language against the vectors that stand beside it."""

import importlib.util
import json
import re
import shutil
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lastro.webhooks.signatures import sign, verify, verify_short

from .tree import ROOT

EXAMPLES = ROOT / "docs" / "examples" / "webhooks"
GUIDE = ROOT / "docs" / "guides" / "webhooks.md"


@dataclass(frozen=True)
class Vector:
    """One webhook as a receiver sees it. expected: yes, no, or error where the secret is none."""

    name: str
    form: str
    secret: str
    headers: Mapping[str, str]
    body: bytes
    now: int
    expected: str

    @property
    def line(self) -> str:
        """For a driver: the form, the time, and in base64 secret, body and headers, with blanks between."""
        headers = "".join(f"{name}\0{value}\0" for name, value in self.headers.items())
        return " ".join((self.form, str(self.now), *map(_base64, (self.secret.encode(), self.body, headers.encode()))))


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode() or "="


def _read() -> list[Vector]:
    return [
        Vector(
            f"{row['form']}: {row['name']}", row["form"], row["secret"], row["headers"],
            row["body"].encode(), row["now"], "yes" if row["valid"] else "no",
        )
        for row in json.loads((EXAMPLES / "vectors.json").read_text(encoding="utf-8"))["vectors"]
    ]  # fmt: skip


VECTORS = _read()
GOOD = next(v for v in VECTORS if v.name == "standard: two secrets, to the holder of the new one")
# What a receiver has who forgot to set the secret, or copied it masked: nobody may be able to sign by it.
MISSET = [
    Vector(f"{form}: {secret!r}", form, secret, {}, GOOD.body, GOOD.now, "error")
    for form in ("standard", "short")
    for secret in ("", "whsec_", "whsec_***", "***", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_é")
]

_NODE = """
import { isFromLastro, isFromLastroShort } from "./verify.mjs";
import { readFileSync } from "node:fs";
const said = readFileSync(0, "utf8").trimEnd().split("\\n").map((line) => {
  const [form, now, ...packed] = line.split(" ");
  const [secret, body, headers] = packed.map((text) => Buffer.from(text, "base64"));
  const parts = headers.toString().split("\\0"), named = {};
  for (let i = 0; i + 1 < parts.length; i += 2) named[parts[i]] = parts[i + 1];
  try {
    const yes = form === "standard" ? isFromLastro(secret.toString(), named, body, Number(now))
      : isFromLastroShort(secret.toString(), named, body);
    return yes === true ? "yes" : yes === false ? "no" : "neither";
  } catch { return "error"; }
});
console.log(said.join("\\n"));
"""
_GO = """
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/receiver/webhooks"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), " ")
		now, _ := strconv.ParseInt(fields[1], 10, 64)
		var raw [3][]byte
		for i := range raw {
			raw[i], _ = base64.StdEncoding.DecodeString(fields[2+i])
		}
		header, parts := http.Header{}, strings.Split(string(raw[2]), "\\x00")
		for i := 0; i+1 < len(parts); i += 2 {
			header.Set(parts[i], parts[i+1])
		}
		yes, err := webhooks.IsFromLastroShort(string(raw[0]), header, raw[1])
		if fields[0] == "standard" {
			yes, err = webhooks.IsFromLastro(string(raw[0]), header, raw[1], time.Unix(now, 0))
		}
		fmt.Println(map[bool]string{true: "yes", false: map[bool]string{true: "no", false: "error"}[err == nil]}[yes])
	}
}
"""
_PHP = """<?php
require 'verify.php';
foreach (explode("\\n", trim(stream_get_contents(STDIN))) as $line) {
    [$form, $now, $secret, $body, $packed] = explode(' ', $line);
    [$secret, $body, $packed] = array_map(fn ($text) => (string) base64_decode($text), [$secret, $body, $packed]);
    $headers = [];
    foreach (array_chunk(explode("\\0", $packed), 2) as $pair) {
        if (count($pair) === 2) {
            $headers[$pair[0]] = $pair[1];
        }
    }
    try {
        $yes = $form === 'standard' ? is_from_lastro($secret, $headers, $body, (int) $now)
            : is_from_lastro_short($secret, $headers, $body);
        echo $yes ? "yes\\n" : "no\\n";
    } catch (InvalidArgumentException) {
        echo "error\\n";
    }
}
"""
_JAVA = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

class Driver {
    static byte[] raw(String text) {
        return text.equals("=") ? new byte[0] : Base64.getDecoder().decode(text);
    }

    public static void main(String[] none) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) {
            String[] fields = line.split(" ");
            String secret = new String(raw(fields[2]), StandardCharsets.UTF_8);
            String[] parts = new String(raw(fields[4]), StandardCharsets.UTF_8).split("\\0", -1);
            var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 0; i + 1 < parts.length; i += 2) headers.put(parts[i], parts[i + 1]);
            try {
                boolean yes = fields[0].equals("standard")
                    ? Verify.isFromLastro(secret, headers::get, raw(fields[3]), Long.parseLong(fields[1]))
                    : Verify.isFromLastroShort(secret, headers::get, raw(fields[3]));
                System.out.println(yes ? "yes" : "no");
            } catch (IllegalArgumentException refused) {
                System.out.println("error");
            }
        }
    }
}
"""


def _example() -> Any:
    spec = importlib.util.spec_from_file_location("verify_example", EXAMPLES / "verify.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


def _python(_folder: Path, vectors: list[Vector]) -> list[str]:
    example = _example()

    def say(v: Vector) -> str:
        try:
            if v.form == "standard":
                yes = example.is_from_lastro(v.secret, v.headers, v.body, v.now)
            else:
                yes = example.is_from_lastro_short(v.secret, v.headers, v.body)
        except ValueError:
            return "error"
        return {True: "yes", False: "no"}[yes]

    return [say(vector) for vector in vectors]


def _driven(
    program: str, example: str, driver: tuple[str, str], *commands: tuple[str, ...]
) -> Callable[[Path, list[Vector]], list[str]]:
    """Runs the commands in a folder that holds example and driver; the last is given the vectors, a line each."""

    def run(folder: Path, vectors: list[Vector]) -> list[str]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on this machine")
        (folder / example).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / Path(example).name, folder / example)
        (folder / driver[0]).write_text(driver[1].lstrip("\n"), encoding="utf-8")
        lines = "".join(f"{vector.line}\n" for vector in vectors)
        for command in commands:
            ended = subprocess.run(
                command, cwd=folder, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=240, check=False
            )
            assert ended.returncode == 0, ended.stderr
        return ended.stdout.split()

    return run


LANGUAGES: dict[str, Callable[[Path, list[Vector]], list[str]]] = {
    "python": _python,
    "node": _driven("node", "verify.mjs", ("driver.mjs", _NODE), ("node", "driver.mjs")),
    "go": _driven(
        "go", "webhooks/verify.go", ("main.go", _GO), ("go", "mod", "init", "example.com/receiver"),
        ("go", "vet", "./..."), ("go", "run", "."),
    ),
    "php": _driven("php", "verify.php", ("driver.php", _PHP), ("php", "driver.php")),
    "java": _driven(
        "javac", "Verify.java", ("Driver.java", _JAVA), ("javac", "-Xlint:all", "-Werror", "Verify.java", "Driver.java"),
        ("java", "Driver"),
    ),
}  # fmt: skip


def test_the_vectors_say_what_lastro_itself_sends_and_would_accept() -> None:
    for v in VECTORS:
        if v.form == "standard":
            accepted = verify([v.secret], v.headers, v.body, now_seconds=v.now)
        else:
            accepted = verify_short([v.secret], v.headers, v.body)
        assert ("yes" if accepted else "no") == v.expected, v.name
    names = [v.name for v in VECTORS]
    assert len(set(names)) == len(names) > 60
    old = next(v for v in VECTORS if v.name == "standard: two secrets, to the holder of the old one")
    sent = {
        name.lower(): value
        for name, value in sign([GOOD.secret, old.secret], GOOD.headers["webhook-id"], GOOD.now, GOOD.body).items()
    }
    for form in ("standard", "short"):
        ours = next(v for v in VECTORS if v.name == f"{form}: two secrets, to the holder of the new one")
        assert ours.headers == {name: sent[name] for name in ours.headers}
    assert {v.headers.get("webhook-signature") for v in VECTORS if "published, by" in v.name} == {
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_judges_every_vector(language: str, tmp_path: Path) -> None:
    asked = VECTORS + MISSET
    said = LANGUAGES[language](tmp_path, asked)
    wrong = [f"{v.name}: {answer}, not {v.expected}" for v, answer in zip(asked, said, strict=True) if answer != v.expected]
    assert not wrong, "\n".join(wrong)


def test_a_receiver_need_not_say_what_time_it_is() -> None:
    for away, accepted in ((0, True), (-999, False), (999, False)):
        sent = sign([GOOD.secret], "event-1", round(time.time()) + away, GOOD.body)
        headers = {name.lower(): value for name, value in sent.items()}
        assert _example().is_from_lastro(GOOD.secret, headers, GOOD.body) == accepted


def test_the_guide_shows_what_the_files_hold() -> None:
    verify_section = re.split(r"^## ", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (section,) = [text for text in verify_section if text.startswith("Verify\n")]
    shown = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    files = ("verify.py", "verify.mjs", "verify.go", "verify.php", "Verify.java", "vectors.json")
    assert [language for language, _ in shown] == ["python", "python"]
    for _, excerpt in shown:
        assert excerpt in (EXAMPLES / "verify.py").read_text(encoding="utf-8"), excerpt[:200]
    assert f"{len(VECTORS)} webhooks, good and forged" in section
    for name in files:
        assert f"(../examples/webhooks/{name})" in section, name
