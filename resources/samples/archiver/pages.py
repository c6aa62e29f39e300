"""What the archiver knows of pages: fetches one within limits, and finds its title, text, links and pictures. Standard library only."""

import html.parser
import http.client
import os
import time
import urllib.error
import urllib.parse
import urllib.request

SECONDS = float(os.environ.get("ARCHIVER_SECONDS", "20"))  # for one page with all that belongs to it
MAX_BYTES = 4 << 20  # of one page, and of one picture
MAX_LINKS = 200
MAX_FILES = 8
MAX_URL = 2000


class Broken(Exception):
    """It could not be had. `again`: another try may have more luck."""

    def __init__(self, message, again):
        super().__init__(message)
        self.again = again


def plain(url):
    """The address without its fragment; None where it is none that is fetched."""
    try:
        parts = urllib.parse.urlsplit(urllib.parse.urldefrag(url.strip()).url)
        parts.port  # may be none
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > MAX_URL:
        return None
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~"),
                                    urllib.parse.quote(parts.query, safe="/%:@!$&'()*+,;=~?"), ""))


def is_of_site(url, other):
    return urllib.parse.urlsplit(url).netloc == urllib.parse.urlsplit(other).netloc


def get(url, until):
    """(type, charset, bytes, address that redirects led to) of what is there. Broken."""
    if plain(url) is None:
        raise Broken("no address of a page: %s" % url[:200], False)
    request = urllib.request.Request(url, headers={"User-Agent": "yardmaster-archiver/1"})
    try:
        with urllib.request.urlopen(request, timeout=_left(until)) as answer:
            kind, charset = answer.headers.get_content_type(), answer.headers.get_content_charset() or "utf-8"
            return kind, charset, _read(answer, until), answer.geturl()
    except urllib.error.HTTPError as error:  # circular redirects, too
        raise Broken("%d %s" % (error.code, " ".join(str(error.reason).split())[:200]), error.code >= 500 or error.code == 429)
    except (OSError, http.client.HTTPException) as error:
        raise Broken("%s: %s" % (type(error).__name__, error), True)
    except ValueError as error:
        raise Broken("it makes no sense: %s" % error, False)


def _left(until):
    left = until - time.monotonic()
    if left <= 0:
        raise Broken("it takes over %g s" % SECONDS, True)
    return left


def _read(answer, until):
    parts, size = [], 0
    while True:
        _left(until)
        part = answer.read1(1 << 16)
        if not part:
            break
        size += len(part)
        if size > MAX_BYTES:
            raise Broken("it has over %d MiB" % (MAX_BYTES >> 20), False)
        parts.append(part)
    if answer.length:
        raise Broken("it ended early", True)
    return b"".join(parts)


class Page(html.parser.HTMLParser):
    """Title, text, links and pictures of a page, whatever is wrong with it."""

    def __init__(self, url, text):
        super().__init__(convert_charrefs=True)
        self.base = url
        self.title, self.text, self.links, self.pictures = "", [], [], []
        self._inside = []  # of elements whose text is none of the page's
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        if tag in ("script", "style", "title"):
            self._inside.append(tag)
        elif tag == "a" and of.get("href"):
            self._add(self.links, of["href"], MAX_LINKS)
        elif tag == "img" and of.get("src"):
            self._add(self.pictures, of["src"], MAX_FILES)

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        words = " ".join(data.split())
        if not words:
            return
        if not self._inside:
            self.text.append(words)
        elif self._inside[-1] == "title":
            self.title = (self.title + " " + words).strip()[:200]

    def _add(self, urls, url, most):
        try:
            found = plain(urllib.parse.urljoin(self.base, url))
        except ValueError:
            return
        if found and found not in urls and len(urls) < most:
            urls.append(found)
