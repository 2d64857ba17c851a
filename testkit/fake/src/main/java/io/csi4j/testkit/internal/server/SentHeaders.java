package io.csi4j.testkit.internal.server;

import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The headers that a caller sent with a request: the {@code :authority} and the metadata, without
 * other headers of HTTP and gRPC.
 */
public record SentHeaders(String authority, Map<String, String> metadata) {

  private static final Set<String> OF_GRPC = Set.of("content-type", "te", "user-agent");

  public static SentHeaders of(Http2Headers headers) {
    Map<String, String> metadata = new TreeMap<>();
    headers.forEach(
        entry -> {
          String name = entry.getKey().toString();
          if (!name.startsWith(":") && !name.startsWith("grpc-") && !OF_GRPC.contains(name)) {
            metadata.merge(
                name, entry.getValue().toString(), (first, second) -> first + "," + second);
          }
        });
    return new SentHeaders(
        headers.authority() == null ? "" : headers.authority().toString(), metadata);
  }
}
