"""A TCP proxy with faults: it delays, holds connections half open, resets them, reads nothing.

Each process of a job listens at one address and is announced with another, the proxy's: so all traffic between two
processes passes here, once each way.
"""
import asyncio
import random
import socket
import threading

CHUNK = 1 << 16


class Flow:
    """One direction of a connection."""

    def __init__(self, proxy, reader, writer):
        self.proxy, self.reader, self.writer = proxy, reader, writer
        self.swallowed = False  # data is read and dropped
        self.waiting = asyncio.Queue(maxsize=64)

    async def read(self):
        loop, due = asyncio.get_running_loop(), 0.0
        while chunk := await self.reader.read(CHUNK):
            while self.proxy.reads_nothing:
                await asyncio.sleep(0.01)
            # In order, with any delays.
            due = max(due, loop.time() + self.proxy.drawn_delay())
            await self.waiting.put((due, chunk))
        await self.waiting.put((due, b""))

    async def write(self):
        while True:
            due, chunk = await self.waiting.get()
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
            if self.swallowed:
                continue  # the end of the stream is not forwarded either
            if not chunk:
                break
            self.writer.write(chunk)
            await self.writer.drain()
            self.proxy.bytes += len(chunk)
        if self.writer.can_write_eof():
            self.writer.write_eof()


class FaultProxy:
    def __init__(self, seed=1):
        self.draw = random.Random(seed)
        self.delay, self.jitter = 0.0, 0.0  # seconds that each chunk takes, give or take
        self.reads_nothing = False          # the senders' windows fill up
        self.bytes = self.connections = self.halves = self.resets = 0
        self._open = {}  # by name of the listening process: its connections, each two flows and two writers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def drawn_delay(self):
        return max(0.0, self.delay + self.draw.uniform(-self.jitter, self.jitter)) if self.delay else 0.0

    def listen(self, name, at, to):
        """Forwards connections from `at` to `to`."""
        self._open[name] = set()

        async def serve(reader, writer):
            await self._carry(name, to, reader, writer)

        self._call(asyncio.start_server(serve, *at))

    async def _carry(self, name, to, reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection(*to)
        except OSError:
            writer.transport.abort()
            return
        self.connections += 1
        flows = (Flow(self, reader, there_writer), Flow(self, there_reader, writer))
        connection = (flows, (writer, there_writer))
        self._open[name].add(connection)
        try:
            await asyncio.gather(*(part() for flow in flows for part in (flow.read, flow.write)))
        except OSError:
            pass
        finally:
            self._open[name].discard(connection)
            for end in (writer, there_writer):
                end.transport.abort()

    def half_open(self, name):
        """Existing connections to a process drop all data without notice; new ones work."""
        async def forget():
            for flows, _ in self._open[name]:
                self.halves += 1
                for flow in flows:
                    flow.swallowed = True
        self._call(forget())

    def reset(self, name):
        """All connections to a process end with a reset at both ends."""
        async def abort():
            for _, ends in list(self._open[name]):
                self.resets += 1
                for end in ends:
                    end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    end.transport.abort()
        self._call(abort())

    def _call(self, what):
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(30)

    def close(self):
        async def cancel():
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        self._call(cancel())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
