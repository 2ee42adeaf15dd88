"""Tests of filters, threshold and materials of the solid in the studio, in a headless Chromium."""

import browser
import numpy as np
import pytest
import studio
from studio_page import EDGE, JOB, MISSING, RUN, data, keep_picture, opened, settle, state, verdict, write_job
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


def test_a_density_law_over_the_histogram(tab, tmp_path):
    """Oracle: E = coefficient (slope grey + intercept)^exponent at the threshold. The curve is drawn, and the job
    runs."""
    folder = write_job(tmp_path, 24)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        drawn = "document.querySelector('.hist').toDataURL()"
        before = page.value(drawn)
        page.click("[data-key='add law']")
        page.wait_for("!!studio.job.value.data.density_law")
        settle(page)
        assert "material" not in data(page) and "fault" in verdict(page)  # no value is guessed
        law = {"slope": 2, "intercept": -40, "coefficient_MPa": 0.5, "exponent": 1.5, "poisson_ratio": 0.3}
        for key, value in law.items():
            page.type(f"[data-key='density_law.{key}']", str(value))
            settle(page)
        assert "the job can run" in verdict(page), page.value("JSON.stringify(studio.checked.value.problems)")
        text = page.value("document.querySelector('#law').textContent")
        assert f"{float(f'{0.5 * (2 * 120 - 40) ** 1.5:.3g}'):g} MPa at the threshold" in text
        assert page.value(drawn) != before
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        assert state(page, 1) == "done"
        assert page.complaints == []


def test_necks_are_shown(tab, tmp_path):
    """Oracle: a rod of six voxels between two blocks, with its connections to the blocks. The button moves to the first
    neck."""
    image = np.full((18, 12, 12), 20, "u1")
    image[:6] = image[12:] = 200
    image[6:12, 3, 8] = 200
    np.save(tmp_path / "bone.npy", image)
    (tmp_path / "bone.toml").write_text(JOB)
    with studio.studio(tmp_path, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        assert page.value("document.querySelector('#necks').textContent").startswith(
            "8 single voxels connect other parts"
        )
        page.click("[data-key='to neck']")
        page.wait_for("studio.cursor.value.join() === '5,3,8'")
        assert page.complaints == []


def test_filters_change_what_is_seen_and_the_file(tab, tmp_path):
    """Oracle: the tables of the file, and the histogram of the image after the step. Removing a filter restores the
    earlier text."""
    folder = write_job(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        before, counts = (
            page.value("studio.job.value.text"),
            page.value("JSON.stringify(studio.histogram.value.counts)"),
        )
        page.value("document.querySelector('.filters').open = true")
        choose = "(() => {{ const s = document.querySelector(\"[data-key='add filter']\"); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
        page.value(choose.format("gaussian"))
        page.wait_for("studio.job.value.data.image.step?.length === 1")
        page.wait_for(f"JSON.stringify(studio.histogram.value.counts) !== '{counts}'")
        settle(page)
        assert data(page)["image"]["step"] == [{"kind": "gaussian", "sigma_voxels": 0.8}]
        page.type("[data-key='image.step.0.sigma_voxels']", "1.2")
        page.wait_for("studio.job.value.data.image.step[0].sigma_voxels === 1.2")
        page.value(choose.format("local_threshold"))
        page.wait_for("studio.job.value.data.image.step?.length === 2")
        settle(page)
        step = data(page)["image"]["step"][1]
        assert step["high"] == data(page)["segment"]["threshold"] and step["low"] < step["high"]
        assert "the job can run" in verdict(page), page.value("document.querySelector('#check').textContent")
        keep_picture(page, "studio_filters")
        for left in (1, 0):
            page.click(f"[data-key='remove step {left}']")
            page.wait_for(f"(studio.job.value.data.image.step || []).length === {left}")
            settle(page)
        assert page.value("studio.job.value.text") == before
        page.value("[...document.querySelectorAll('#solid details')].forEach(d => d.open = true)")
        page.type("[data-key='greys 0']", "60")
        page.wait_for("studio.job.value.data.segment.greys?.[0] === 60")
        assert "threshold" not in data(page)["segment"]
        settle(page)
        assert page.complaints == []
