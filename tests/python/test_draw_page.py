# SPDX-License-Identifier: Apache-2.0
"""The page of `roundelay draw --html` in a headless Chromium; screenshots are in build/play."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import Cli
from roundelay.drawing import Story, tell
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

SHOTS = Path(__file__).resolve().parents[2] / "build" / "play"
NEEDED = "NEED_BROWSER" in os.environ  # CI sets it: there nothing may be skipped


@pytest.fixture(scope="module")
def chromium() -> Iterator[webdriver.Chrome]:
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (browser and driver):
        assert not NEEDED, "apt-get install chromium chromium-driver"
        pytest.skip("needs chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for word in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1100,1000"):
        options.add_argument(f"--{word}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    SHOTS.mkdir(parents=True, exist_ok=True)
    with webdriver.Chrome(options=options, service=Service(driver)) as found:
        yield found


class Page:
    def __init__(self, browser: webdriver.Chrome, cli: Cli, file: Path, *words: str) -> None:
        assert cli("draw", *words, "--html", "-o", str(file)).exit_code == 0
        assert file.stat().st_size < 1 << 20
        self.browser = browser
        browser.get(file.as_uri())

    def part(self, name: str) -> WebElement:
        return self.browser.find_element(By.ID, name)

    @property
    def step(self) -> int:
        return int(self.part("scrub").get_attribute("value") or "")

    def shoot(self, name: str) -> None:
        assert self.browser.save_screenshot(str(SHOTS / f"{name}.png"))

    def messages(self) -> Counter[tuple[int, int]]:
        found = self.browser.find_elements(By.CSS_SELECTOR, ".message")
        ends = [[int(each.get_attribute(f"data-{end}") or "") for end in ("from", "to")]
                for each in found]  # fmt: skip
        return Counter((sender, receiver) for sender, receiver in ends)

    def held(self, rank: int, side: str) -> set[str]:
        where = f'.state.{side}[data-rank="{rank}"] .held'
        found = self.browser.find_elements(By.CSS_SELECTOR, where)
        return {each.get_attribute("data-label") or "" for each in found}

    def check(self, story: Story) -> None:
        """What is shown is what the trace says of this step."""
        step = self.step
        sent = [(each.sender, each.receiver) for each in story.messages if each.step == step - 1]
        assert self.messages() == Counter(sent)
        for rank, states in enumerate(story.ranks):
            state = [each for each in states if each.step <= step][-1]
            wanted = {held.label for held in state.holds if held.needed}
            assert self.held(rank, "after" if step else "before") == wanted

    def errors(self) -> list[str]:
        return [each["message"] for each in self.browser.get_log("browser")]  # type: ignore[no-untyped-call]


def test_one_plays_steps_and_scrubs(chromium: webdriver.Chrome, cli: Cli, tmp_path: Path) -> None:
    page = Page(chromium, cli, tmp_path / "x.html", "allreduce.ring", "-p", "5")
    story = tell("allreduce.ring", 5)
    page.check(story)
    for step in range(1, story.steps + 1):
        page.part("forward").click()
        assert page.step == step
        page.check(story)
        assert f"{step} of {story.steps}" in page.part("said").text
        page.shoot(f"allreduce-{step}")
    page.part("back").click()
    assert page.step == story.steps - 1
    chromium.execute_script(
        "const s = document.getElementById('scrub'); s.value = 2;"
        "s.dispatchEvent(new Event('input'))"
    )
    page.check(story)
    page.part("play").click()
    assert page.part("play").text == "Pause"
    WebDriverWait(chromium, 60).until(lambda _: page.step >= 4)
    page.part("play").click()
    assert page.part("play").text == "Play"
    page.check(story)
    assert not page.errors()


def test_one_chooses_ranks_and_root(chromium: webdriver.Chrome, cli: Cli, tmp_path: Path) -> None:
    page = Page(chromium, cli, tmp_path / "x.html", "bcast.binomial", "-p", "6", "--root", "2")
    for p, root in ((6, 2), (6, 5), (8, 1), (3, 0)):
        Select(page.part("p")).select_by_value(str(p))
        Select(page.part("root")).select_by_value(str(root))
        story = tell("bcast.binomial", p, root=root)
        page.part("forward").click()
        page.check(story)
    page.shoot("bcast-root")
    assert not page.errors()


def test_the_keyboard_is_enough(chromium: webdriver.Chrome, cli: Cli, tmp_path: Path) -> None:
    page = Page(chromium, cli, tmp_path / "x.html", "alltoall.lg", "-p", "5")
    story = tell("alltoall.lg", 5)

    def press(key: str) -> str:
        chromium.switch_to.active_element.send_keys(key)
        return chromium.switch_to.active_element.get_attribute("id") or ""

    chromium.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    order = [
        chromium.switch_to.active_element.get_attribute("id"),
        *(press(Keys.TAB) for _ in "ab"),
    ]
    assert order == ["back", "play", "forward"]
    press(Keys.ENTER)
    assert page.step == 1
    assert press(Keys.TAB) == "scrub"
    press(Keys.ARROW_RIGHT)
    page.check(story)
    assert page.step == 2
    focused = chromium.switch_to.active_element
    for _ in range(4):
        press(Keys.TAB)
        focused = chromium.switch_to.active_element
        if focused.get_attribute("class") == "message":
            break
    label = focused.get_attribute("aria-label")
    assert label
    assert page.part("message").text == label
    assert "byte" in label
    page.shoot("alltoall-lg-keyboard")
    assert not page.errors()


def test_the_focus_stays_on_messages_while_it_plays(
    chromium: webdriver.Chrome, cli: Cli, tmp_path: Path
) -> None:
    page = Page(chromium, cli, tmp_path / "x.html", "allgather.ring", "-p", "5")
    page.part("forward").click()
    chromium.execute_script("document.querySelector('.message[data-from=\"2\"]').focus()")
    for step in (2, 3):  # as the timer does
        chromium.execute_script("document.getElementById('forward').click()")
        assert page.step == step
        focused = chromium.switch_to.active_element
        assert focused.get_attribute("data-from") == "2"
        assert page.part("message").text == focused.get_attribute("aria-label")
    chromium.execute_script(
        "const s = document.getElementById('scrub'); s.value = 0;"
        "s.dispatchEvent(new Event('input'))"
    )
    assert chromium.switch_to.active_element.get_attribute("id") == "play"
    assert not page.errors()


def test_the_button_says_what_it_does(chromium: webdriver.Chrome, cli: Cli, tmp_path: Path) -> None:
    """Its name changes; a name and a pressed state that both change would say it twice."""
    page = Page(chromium, cli, tmp_path / "x.html", "allgather.ring", "-p", "5")
    for name in ("Play", "Pause", "Play"):
        assert page.part("play").accessible_name == name
        assert page.part("play").get_attribute("aria-pressed") is None
        page.part("play").click()


@pytest.mark.parametrize(
    ("words", "borders"),
    [
        (["alltoall.lg", "--sites", "2+3"], ["site a", "site b"]),
        (["allreduce.hier", "--nodes", "2+2"], ["node a", "node b"]),
        (["allreduce.hier", "--nodes", "abab"], ["node a", "node b", "node a", "node b"]),
        (["allgather.ring", "-p", "4"], []),
        (["allgather.inter_full", "-p", "3", "-q", "2"], []),
    ],
)
def test_places_have_borders(
    chromium: webdriver.Chrome, cli: Cli, tmp_path: Path, words: list[str], borders: list[str]
) -> None:
    page = Page(chromium, cli, tmp_path / "x.html", *words)
    found = chromium.find_elements(By.CSS_SELECTOR, ".border")
    assert [each.get_attribute("data-place") for each in found] == borders
    names = {each.text: each for each in chromium.find_elements(By.CSS_SELECTOR, ".name")}
    ranks = sum(name.startswith("rank") for name in names)
    if borders:  # each rank is in one
        for rank in range(ranks):
            y = names[f"rank {rank}"].rect["y"]
            inside = [one for one in found if 0 < y - one.rect["y"] < one.rect["height"]]
            assert len(inside) == 1
    page.part("forward").click()
    page.shoot(f"{words[0]}-{'-'.join(words[1:])}".replace("+", "_"))
    assert len(chromium.find_elements(By.CSS_SELECTOR, ".message")) > 0
    assert not page.errors()


def test_it_is_shown_in_the_dark_too(chromium: webdriver.Chrome, cli: Cli, tmp_path: Path) -> None:
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"},
                         {"name": "prefers-reduced-motion", "value": "reduce"}]}  # fmt: skip
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    page = Page(chromium, cli, tmp_path / "x.html", "barrier.dissemination", "-p", "5")
    page.part("play").click()
    path = chromium.find_element(By.CSS_SELECTOR, ".message path")
    assert path.value_of_css_property("animation-name") == "none"
    page.part("play").click()
    page.shoot("barrier-dark")
    page.check(tell("barrier.dissemination", 5))
    assert not page.errors()
