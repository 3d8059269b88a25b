"""A server of objects for the tests: http and https, S3's signatures, lists, parts and versions, and what goes wrong.

It checks Signature Version 4 itself, from Amazon's description ("Authenticating Requests: Using the Authorization
Header"): each request is put together again from what arrived, and a wrong signature is refused.
"""
import datetime
import hashlib
import hmac
import http.server
import ssl
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY, SECRET, REGION = "AKIDROTATEST", "secret/with+signs=", "eu-test-1"
PAGE = 1000  # names in a page of a list


def tag_of(content):
    return '"' + hashlib.md5(content).hexdigest() + '"'


class Server(http.server.ThreadingHTTPServer):
    """Objects by their names: "bucket/key".  `faults` has a list by name: what the next replies do instead."""
    daemon_threads = True

    def __init__(self, signed=True, ranges=True, versions=True, token="", certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.objects, self.faults, self.requests = {}, {}, []
        self.listed = None  # what lists tell, if it is not what is there
        self.signed, self.ranges, self.versions, self.token = signed, ranges, versions, token
        scheme = "http"
        if certificate:
            scheme, context = "https", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"{scheme}://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that goes away

    def close(self):
        self.shutdown()
        self.server_close()

    def ranges_of(self, name):
        return [asked for what, asked in self.requests if what == name]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a header and a body are two packets

    def log_message(self, *words):
        pass

    def reply(self, status, body=b"", sent=None, **headers):
        """`sent`: fewer bytes of the body, and then the end of the connection."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body if sent is None else body[:sent])
        if sent is not None:
            self.wfile.flush()
            self.close_connection = True

    def refuse(self, status, code):
        self.reply(status, f"<Error><Code>{code}</Code></Error>".encode())

    def signature(self, words):
        """Of the request as it arrived, with the right secret."""
        date, region, service = words["Credential"].split("/")[1:4]
        url = urllib.parse.urlsplit(self.path)
        quote = lambda text, safe="": urllib.parse.quote(text, safe=safe + "-_.~")
        query = sorted((quote(k), quote(v)) for k, v in urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        signed = words["SignedHeaders"].split(";")
        canonical = "\n".join([
            self.command, quote(urllib.parse.unquote(url.path), "/"), "&".join("=".join(pair) for pair in query),
            *(f"{name}:{' '.join(self.headers[name].split())}" for name in signed), "", ";".join(signed),
            self.headers["x-amz-content-sha256"]])
        scope = f"{date}/{region}/{service}/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + SECRET).encode()
        for word in (date, region, service, "aws4_request"):
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    def refused(self):
        """Whether the request is not signed as it must be; then it is answered."""
        if not self.server.signed:
            return False
        kind, _, rest = (self.headers["Authorization"] or "").partition(" ")
        words = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if kind != "AWS4-HMAC-SHA256" or "x-amz-content-sha256" not in self.headers:
            self.refuse(403, "AccessDenied")
        elif words["Credential"].split("/")[0] != KEY:
            self.refuse(403, "InvalidAccessKeyId")
        elif not {"host", "x-amz-date"} <= set(words["SignedHeaders"].split(";")):
            self.refuse(403, "AccessDenied")
        elif abs((datetime.datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ") -
                  datetime.datetime.utcnow()).total_seconds()) > 900:
            self.refuse(403, "RequestTimeTooSkewed")
        elif not hmac.compare_digest(self.signature(words), words["Signature"]):
            self.refuse(403, "SignatureDoesNotMatch")
        elif (self.headers["x-amz-security-token"] or "") != self.server.token:
            self.refuse(400, "ExpiredToken")
        elif words["Credential"].split("/")[2] != REGION:
            self.reply(400, f"<Error><Code>AuthorizationHeaderMalformed</Code><Region>{REGION}</Region></Error>".encode())
        else:
            return False
        return True

    def list(self, bucket, query):
        prefix, delimiter = query["prefix"], query["delimiter"]
        objects = self.server.listed or self.server.objects
        names = sorted(name[len(bucket) + 1:] for name in objects if name.startswith(f"{bucket}/{prefix}"))
        names = [name for name in names if delimiter not in name[len(prefix):]]
        begin = int(query.get("continuation-token", "0/=+").split("/")[0])
        page, more = names[begin:begin + PAGE], len(names) > begin + PAGE
        body = "".join(
            f"<Contents><Key>{urllib.parse.quote_plus(name)}</Key>"
            f"<ETag>{escape(tag_of(objects[f'{bucket}/{name}']), {chr(34): '&quot;'})}</ETag>"
            f"<Size>{len(objects[f'{bucket}/{name}'])}</Size></Contents>" for name in page)
        if more:
            body += f"<NextContinuationToken>{begin + PAGE}/=+</NextContinuationToken>"
        self.reply(200, ('<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/'
                         f'2006-03-01/"><IsTruncated>{str(more).lower()}</IsTruncated><EncodingType>url</EncodingType>'
                         f"{body}</ListBucketResult>").encode())

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        name = urllib.parse.unquote(url.path)[1:]
        self.server.requests.append((name, self.headers["Range"]))
        faults = self.server.faults.get(name, [])
        fault = faults.pop(0) if faults else None
        if isinstance(fault, tuple) and fault[0] == "status":
            return self.reply(fault[1], **fault[2])
        if self.refused():
            return None
        bucket, _, key = name.partition("/")
        query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        if not key and "list-type" in query:
            return self.list(bucket, query)
        if name not in self.server.objects:
            return self.refuse(404, "NoSuchKey")
        content = self.server.objects[name]
        headers = {"ETag": tag_of(content)} if self.server.versions else {}
        if self.headers["If-Match"] and self.headers["If-Match"] != tag_of(content):
            return self.refuse(412, "PreconditionFailed")
        status, body = 200, content
        if self.headers["Range"] and self.server.ranges:
            first, last = (int(end) for end in self.headers["Range"].removeprefix("bytes=").split("-"))
            if first >= len(content):
                return self.refuse(416, "InvalidRange")
            status, body = 206, content[first:last + 1]
            headers["Content-Range"] = f"bytes {first}-{first + len(body) - 1}/{len(content)}"
        if callable(fault):  # what happens between the request and the reply
            fault()
        if isinstance(fault, tuple) and fault[0] == "cut":
            return self.reply(status, body, sent=fault[1], **headers)
        if isinstance(fault, tuple) and fault[0] == "stall":
            self.reply(status, body, sent=fault[1], **headers)
            return time.sleep(fault[2])
        return self.reply(status, body, **headers)
