"""Counts what is in a text. Reads one JSON object from stdin, writes one to stdout; needs nothing but Python."""

import collections
import json
import pathlib
import re
import sys


def read_text(request):
    """The text, from whichever of the three arguments names it."""
    args = request["args"]
    named = [name for name in ("text", "file", "task") if name in args]
    if len(named) != 1:
        sys.exit("Give exactly one of the arguments text, file and task.")
    if "text" in args:
        return args["text"]
    if "task" in args:
        return read_output(request["plan_outputs"], args["task"])
    return read_file(pathlib.Path(request["workspace"]), args["file"])


def read_output(outputs, number):
    output = next((entry for entry in outputs if entry["index"] == number), None)
    if output is None:
        sys.exit(f"There is no output of a task {number} before this one.")
    # A long output is cut here and stands whole in a file of the workspace.
    return pathlib.Path(output["file"]).read_text("utf-8") if output["file"] else output["output"]


def read_file(workspace, name):
    path = (workspace / name).resolve()
    if not path.is_relative_to(workspace.resolve()):
        sys.exit(f"{name} is not in the workspace.")
    try:
        return path.read_text("utf-8")
    except OSError as error:
        sys.exit(f"{name} cannot be read: {error.strerror}.")


def main():
    request = json.load(sys.stdin)
    text = read_text(request)
    words = re.findall(r"\w+", text.lower())
    top = collections.Counter(words).most_common(max(0, request["args"]["top"]))
    stats = {
        "characters": len(text),
        "words": len(words),
        "lines": len(text.splitlines()),
        "top": [{"word": word, "count": count} for word, count in top],
    }
    print(json.dumps(stats, ensure_ascii=False, indent=2))


main()
