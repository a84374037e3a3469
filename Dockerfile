# mesonet alone: docker build --tag mesonet . && docker run --rm -v "$PWD:/work" mesonet compare cubic bbr3 --out page.html

FROM rust:1-slim-bookworm AS build
# The image is thrown away: what Debian's stable release has will do.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python3 -m venv /tools \
    && /tools/bin/pip install --no-cache-dir --constraint requirements/constraints.txt maturin \
    && /tools/bin/maturin build --release --locked --strip --interpreter python3 --out /dist

FROM python:3.13-slim-bookworm
COPY requirements/constraints.txt /tmp/constraints.txt
RUN --mount=type=bind,from=build,source=/dist,target=/dist \
    pip install --no-cache-dir --constraint /tmp/constraints.txt /dist/*.whl \
    && rm /tmp/constraints.txt \
    && useradd --create-home --uid 1000 mesonet \
    && install --directory --owner 1000 --group 1000 /work
USER 1000
WORKDIR /work
ENTRYPOINT ["mesonet"]
CMD ["--help"]
