"""A headless browser, driven by the WebDriver protocol with nothing but the standard library."""
import base64
import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

SECONDS = 120
ENTER, ESCAPE, DOWN = '\ue007', '\ue00c', '\ue015'


def programs():
    """(chromedriver, browser); an empty list of what is missing comes first"""
    driver = shutil.which('chromedriver')
    browser = shutil.which('chromium') or shutil.which('google-chrome') or shutil.which('chrome')
    missing = [name for name, path in (('chromedriver', driver), ('chromium', browser)) if not path]
    return missing, driver, browser


class Browser:
    def __init__(self, folder, dark=False, size=(1400, 900)):
        _, driver, binary = programs()
        self.driver = subprocess.Popen([driver, '--port=0'], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, cwd=folder)
        self.session = ''
        try:
            self.port = self._port()
            options = {'binary': binary, 'args': [
                '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                '--user-data-dir=%s/profile' % folder, '--window-size=%d,%d' % size,
                # There is no network but this machine: whoever asks for one gets an error in the console.
                '--proxy-server=127.0.0.1:9',
                '--blink-settings=preferredColorScheme=%d' % (0 if dark else 1)]}
            made = self._request('POST', '/session', {'capabilities': {'alwaysMatch': {
                'browserName': 'chrome', 'goog:chromeOptions': options,
                'goog:loggingPrefs': {'browser': 'ALL'}}}})
            self.session = '/session/' + made['sessionId']
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(rb'started successfully on port (\d+)', line)
            if found:
                return int(found.group(1))
        raise RuntimeError('chromedriver does not start')

    def _request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            'http://127.0.0.1:%d%s%s' % (self.port, self.session, path), data, method=method,
            headers={'Content-Type': 'application/json'})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=SECONDS) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode('utf-8', 'replace')[:2000]) from None

    def open(self, path):
        """Loads a file; returns the seconds that took."""
        begin = time.monotonic()
        self._request('POST', '/url', {'url': path if ':' in str(path) else 'file://%s' % path})
        return time.monotonic() - begin

    def resize(self, width, height):
        """The page's size, also below what a window can have"""
        self._request('POST', '/goog/cdp/execute', {
            'cmd': 'Emulation.setDeviceMetricsOverride',
            'params': {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': True}})

    def run(self, script, *arguments):
        """What the body of a function of JavaScript returns"""
        return self._request('POST', '/execute/sync', {'script': script, 'args': arguments})

    def text(self, selector):
        return self.run('const e = document.querySelector(arguments[0]); return e && e.innerText',
                        selector)

    def count(self, selector):
        return self.run('return document.querySelectorAll(arguments[0]).length', selector)

    def click(self, selector):
        """As a person does it: where the element is, if nothing lies over it"""
        found = self._request('POST', '/element', {'using': 'css selector', 'value': selector})
        self._request('POST', '/element/%s/click' % next(iter(found.values())), {})

    def keys(self, letters):
        actions = []
        for letter in letters:
            actions += [{'type': 'keyDown', 'value': letter}, {'type': 'keyUp', 'value': letter}]
        self._request('POST', '/actions', {'actions': [
            {'type': 'key', 'id': 'keyboard', 'actions': actions}]})

    def console(self):
        """What stood on the console since the last call"""
        return ['%(level)s %(message)s' % entry
                for entry in self._request('POST', '/se/log', {'type': 'browser'})]

    def screenshot(self):
        return base64.b64decode(self._request('GET', '/screenshot'))

    def close(self):
        try:
            if self.session:
                self._request('DELETE', '')
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
