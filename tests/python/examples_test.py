"""The scripts of examples/, at small sizes, and the code of docs/python.md: what they print and draw."""
import re
import subprocess
import sys
import unittest

from python_run import LIMIT, SOURCE, PythonTest


class Examples(PythonTest):
    def run_script(self, name, *words):
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        done = subprocess.run([sys.executable, "-B", SOURCE / "examples" / name, *map(str, words)], text=True,
                              capture_output=True, timeout=LIMIT, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = self.folder / re.search(r"^plot: (.*)$", done.stdout, re.M)[1]
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        return done.stdout

    def test_topics_are_those_of_the_posts(self):
        themes = ["network socket port address route packet host interface bridge tunnel gateway proxy",
                  "translation german french spanish language debconf portuguese dutch swedish czech russian turkish",
                  "crash memory overflow pointer leak buffer segfault stack heap bounds null corruption",
                  "kernel module driver device firmware board sound video usb wireless power battery"]
        posts = [" ".join(themes[post % 4].split()[(post // 4 + 5 * word) % 12] for word in range(6))
                 for post in range(800)]
        (self.folder / "posts.txt").write_text("\n".join(posts), encoding="utf-8")
        said = self.run_script("topics.py", "posts.txt", "--topics=4", "--epochs=200")
        found = [set(line.split()[1:]) for line in said.splitlines() if "%" in line]
        of = [[number for number, theme in enumerate(themes) if words <= set(theme.split())] for words in found]
        self.assertEqual(sorted(of), [[0], [1], [2], [3]], said)

    def test_recommendations_are_better_than_what_is_popular(self):
        said = self.run_script("recommendations.py", "--factors=16", "--epochs=4")
        personal, general = map(float, re.search(r"first 10: ([\d.]+)%; .*: ([\d.]+)%", said).groups())
        self.assertGreater(personal, general)

    def test_a_path_gains_coefficients_and_is_better_than_guessing(self):
        said = self.run_script("sparse_path.py", "--steps=4")
        steps = re.findall(r"^C .* (\d+) coefficients  ([\d.]+) right$", said, re.M)
        counts = [int(count) for count, _ in steps]
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(counts[-1], 50)
        self.assertGreater(max(float(right) for _, right in steps), 0.84)  # all in one class: 0.764

    def test_the_first_ten_minutes_of_the_page_print_what_it_has(self):
        page = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
        code, printed = re.search(r"^## The first ten minutes\n.*?^```python\n(.*?)^```\n.*?^```\n(.*?)^```\n", page,
                                  re.M | re.S).groups()
        done = subprocess.run([sys.executable, "-B", "-c", code], text=True, capture_output=True, timeout=LIMIT,
                              cwd=self.folder)
        self.assertEqual(done.stdout, printed, done.stderr)


if __name__ == "__main__":
    unittest.main()
