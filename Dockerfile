# The local service in a container, at http://127.0.0.1:4010 of this machine:
# docker build -t cli . && docker run --network host -v cli:/data cli
# For other machines and containers it needs a sign-in and TLS: see docs/operating.md.
# docker run -p 4010:4010 -v cli:/data cli service start --host 0.0.0.0 --data /data \
#   --sign-in password --trust-proxy 172.16.0.0/12 --public-url https://subs.example.com
FROM denoland/deno:2.9.6

WORKDIR /app
COPY deno.json deno.lock cli.ts mod.ts ./
COPY lib ./lib
COPY scripts/package ./scripts/package
RUN deno install --frozen --entrypoint cli.ts \
  && deno run --no-prompt --allow-env=PATH,HOME,INIT_CWD --allow-read --allow-write \
    --allow-run=/usr/bin/deno scripts/package/install.ts --linked --to /usr/local/bin \
  && mkdir /data \
  && chown -R deno:deno /data /deno-dir

USER deno
ENV HOME=/data
VOLUME ["/data"]
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["cli", "service", "status", "--data", "/data"]

# The launcher becomes the program itself, so process 1 is what stops on SIGTERM.
ENTRYPOINT ["cli"]
CMD ["service", "start", "--data", "/data"]
