"""A receiver of webhooks: verifies each, acknowledges it, and prints what it says."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lastro_client import WebhookRefused, verified
from lastro_client.webhooks import ACKNOWLEDGEMENT


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = verified(os.environ["LASTRO_WEBHOOK_SECRET"], dict(self.headers.items()), body)
        except WebhookRefused as error:
            print("refused", error, flush=True)
            self.send_error(400)
            return
        # Store the event by its id first; then answer; then work on it. The same one may come twice.
        print("event", event.type, event.body["code"], flush=True)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(ACKNOWLEDGEMENT)))
        self.end_headers()
        self.wfile.write(ACKNOWLEDGEMENT)

    def log_message(self, *_: object) -> None:
        """Says nothing: what came is printed above."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Receiver)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
