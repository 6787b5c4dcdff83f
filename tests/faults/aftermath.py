"""The invariants after a command that failed or was killed, and after the same command run again."""

import collections
import os
import re
import signal

from scene import FAILED, LEDGER, NEXT_WRITE, count, files_of, ledger_rows, unexpected

# Words of a message that names the failure, beside the text of the error number.
NAMED = re.compile(r"memory|disk|random|entropy|thread|cannot|could not|unable|failed|I/O|space", re.IGNORECASE)
STANDS = re.compile(r"charge", re.IGNORECASE)
AGAIN = re.compile(r"same command|again", re.IGNORECASE)


class Aftermath:
    """What one failing run left in `place`, which must be as the scene made it when the aftermath begins."""

    def __init__(self, scene, command, place, reference, label):
        self.scene, self.command, self.place, self.reference, self.label = scene, command, place, reference, label
        self.before = files_of(place)
        self.findings, self.outcome, self.text = [], "", ""

    def expect(self, holds, finding):
        if not holds:
            self.findings.append(finding)

    def examine(self, done, reason, killed=False):
        """Examines the run `done`, which met a fault: `reason` is the text of its error number."""
        self.text += f"exit code {done.returncode}\n{done.stderr}"
        failed = files_of(self.place)
        self.check_files(failed)
        charges = count(ledger_rows(self.place), "reserve") if self.command.charged else 0
        if done.returncode == 0:
            self.outcome = "absorbed"
            self.check_finished(done)
        else:
            self.outcome = "recovered" if charges else "refused"
            if not killed:
                self.check_message(done, reason, charges)
        if self.command.prints and done.returncode == 0:
            self.check_printed(done, failed)
        elif failed != self.before:
            self.run_again(failed)

    def check_message(self, done, reason, charges):
        """The failing run ends with a documented code and a last line that names the failure."""
        if done.returncode < 0:
            self.findings.append(f"ended by {signal.Signals(-done.returncode).name}")
            return
        message = (done.stderr.splitlines() or [""])[-1]
        self.expect(done.returncode == FAILED, f"exit code {done.returncode} for a failure of the environment: {message}")
        self.expect(message.startswith("sotto: ") and (reason in message or NAMED.search(message)),
                    f"the message does not name the failure: {message}")
        if charges:
            self.expect(STANDS.search(message) and AGAIN.search(message), "charged, and the message does not say so")

    def check_files(self, after):
        """Every output is absent, as before, or whole; every other file is as before."""
        for name in self.command.outputs:
            if name not in after or after[name] == self.before.get(name) or name == LEDGER:
                continue
            if self.command.same:
                self.expect(after[name] == self.reference[name], f"{name} is half written")
            elif self.command.charged:
                self.expect(after[name].endswith(b"}\n"), f"{name} is half written")
        for name in self.before:
            self.expect(name in after, f"{name} is gone")
            if name not in self.command.outputs and name != LEDGER and name in after:
                self.expect(after[name] == self.before[name], f"{name} has changed")

    def check_printed(self, done, failed):
        """A result that was printed leaves no file; one that could not be removed is printed again, and removed then."""
        if unexpected(self.before, self.command, failed):
            again = self.scene.run(self.place, self.command.words)
            self.expect(again.returncode == 0 and again.stdout.splitlines()[:1] == done.stdout.splitlines()[:1],
                        "the result that was left behind is not printed again")
        self.check_litter()

    def check_litter(self):
        litter = {re.sub(r"\d+", "N", name) for name in unexpected(self.before, self.command, files_of(self.place))}
        self.expect(not litter, f"left behind: {' '.join(sorted(litter))}")

    def check_finished(self, done):
        """What a run that ended well leaves: one charge, and results that verify. Returns the files."""
        after = files_of(self.place)
        for name in self.command.outputs:
            self.expect(name in after, f"no {name} after the run")
            if self.command.same:
                self.expect(after.get(name) == self.reference[name], f"{name} differs from a run without a fault")
        if self.command.prints:
            self.expect(done.stdout.startswith("count"), "nothing was printed")
        if self.command.charged:
            rows = ledger_rows(self.place)
            self.expect(count(rows, "reserve") == 1, f"{count(rows, 'reserve')} charges")
            self.expect(count(rows, "commit") == 1, f"{count(rows, 'commit')} commits")
            self.check_succeeds(("ledger", "check", LEDGER))
        if self.command.check:
            self.check_succeeds(self.command.check)
            for name in set(self.command.check) & set(files_of(self.place)) - set(after):
                os.unlink(os.path.join(self.place, name))  # the check may run again
        return after

    def check_succeeds(self, words):
        done = self.scene.run(self.place, words)
        self.expect(done.returncode == 0, f"sotto {' '.join(words[:2])} fails: {done.stderr.strip()[:100]}")

    def run_again(self, failed):
        """The same command without a fault: one charge in all, no other file, and a result that was there stays."""
        if self.command.once and all(name in failed for name in self.command.outputs):
            self.check_succeeds(NEXT_WRITE.words)
            os.unlink(os.path.join(self.place, *NEXT_WRITE.outputs))
            self.check_litter()
            self.check_finished(None)
            return
        again = self.scene.run(self.place, self.command.words)
        self.text += f"again: exit code {again.returncode}\n{again.stderr}"
        if again.returncode != 0:
            self.findings.append(f"the same command again: exit code {again.returncode}: {again.stderr.strip()[:90]}")
            return
        self.check_litter()
        after = self.check_finished(again)
        for name in self.command.outputs:
            if self.command.charged and name in failed:
                self.expect(after.get(name) == failed[name], f"{name} was replaced by another result")


def show(aftermaths, repeat):
    """Prints each kind of finding, how often it came, and one label that repeats it."""
    kinds = collections.defaultdict(list)
    for aftermath in aftermaths:
        for finding in aftermath.findings:
            kinds[finding].append(aftermath.label)
    for finding, labels in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"    {len(labels):4} x {finding}; for example {repeat} {labels[0]}")
