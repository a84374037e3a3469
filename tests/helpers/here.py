"""Workers that are this process, in place of processes that first have to import mesonet."""

from mesonet.workers.process import perform


class Here:
    """A `mesonet.workers.tasks.Pool` that executes its tasks itself."""

    def __init__(self, execute, workers, budget):
        self._execute, self._workers, self._budget = execute, workers, budget
        self._tasks = []

    def workers(self):
        return self._workers

    def lonely(self):
        return ""

    def free(self):
        return self._workers - len(self._tasks)

    def submit(self, task):
        self._tasks.append(task)
        return "here"

    def poll(self, timeout):
        events = []
        for task in self._tasks:
            events.append(perform(self._execute, task, self._budget, events.append, "here"))
        self._tasks.clear()
        return events

    def end(self, task):
        raise AssertionError

    def memory(self, task):
        return None

    def close(self):
        self._tasks.clear()
