// nginx as a reverse proxy: one worker, kept connections on both sides, every byte passed on at once.

/** `folder` is a writable directory of this run's own. */
export function nginxConfig(port: number, upstreamPort: number, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `  ${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `${user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
${temporary.join("\n")}
  client_body_buffer_size 256k;
  keepalive_requests 100000000;
  upstream bench { server 127.0.0.1:${upstreamPort}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /readyz { return 200; }
    location / {
      proxy_pass http://bench;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 300s;
    }
  }
}
`;
}
