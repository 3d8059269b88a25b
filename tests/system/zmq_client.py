"""A client of ZeroMQ for attacks_test.py: the C library itself, to send any message that it can send."""
import ctypes

_zmq = ctypes.CDLL("libzmq.so.5")
_zmq.zmq_ctx_new.restype = _zmq.zmq_socket.restype = ctypes.c_void_p
_zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
_zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
_zmq.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_zmq.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
_zmq.zmq_close.argtypes = _zmq.zmq_ctx_term.argtypes = [ctypes.c_void_p]

DEALER, SENDMORE = 5, 2
CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY = 48, 49, 50
LINGER, SNDTIMEO = 17, 28


def new_pair():
    """A new public and secret key."""
    public, secret = ctypes.create_string_buffer(41), ctypes.create_string_buffer(41)
    if _zmq.zmq_curve_keypair(public, secret) != 0:
        raise OSError("this libzmq has no CURVE")
    return public.value, secret.value


class Client:
    """A DEALER.  `server`: the listener's key; None: a plain connection."""

    def __init__(self, address, server=None, pair=None):
        self.context = ctypes.c_void_p(_zmq.zmq_ctx_new())
        self.socket = ctypes.c_void_p(_zmq.zmq_socket(self.context, DEALER))
        for option, number in ((LINGER, 2000), (SNDTIMEO, 5000)):
            self._set(option, bytes(ctypes.c_int(number)))
        if server is not None:
            for option, key in zip((CURVE_SERVERKEY, CURVE_PUBLICKEY, CURVE_SECRETKEY), (server, *pair)):
                self._set(option, key)
        if _zmq.zmq_connect(self.socket, address.encode()) != 0:
            raise OSError(f"cannot connect to {address}")

    def _set(self, option, value):
        if _zmq.zmq_setsockopt(self.socket, option, value, len(value)) != 0:
            raise OSError(f"option {option}")

    def send(self, frames):
        """Whether ZeroMQ accepted it; an undeliverable message is kept until the end."""
        for i, frame in enumerate(frames):
            if _zmq.zmq_send(self.socket, frame, len(frame), SENDMORE if i + 1 < len(frames) else 0) < 0:
                return False
        return True

    def close(self):
        _zmq.zmq_close(self.socket)
        _zmq.zmq_ctx_term(self.context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
