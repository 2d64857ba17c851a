package io.csi4j.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;

/**
 * The names and attributes of csi4j's own spans. The table in docs/metrics.md lists the same names.
 */
final class SpanWords {

  static final String SCOPE = "io.csi4j";

  static final AttributeKey<String> PLUGIN = AttributeKey.stringKey("csi4j.plugin");
  static final AttributeKey<String> VOLUME = AttributeKey.stringKey("csi4j.volume");
  static final AttributeKey<String> WORKLOAD = AttributeKey.stringKey("csi4j.workload");
  static final AttributeKey<String> CONTROL_PLANE = AttributeKey.stringKey("csi4j.control_plane");
  static final AttributeKey<String> CODE = AttributeKey.stringKey("csi4j.code");
  static final AttributeKey<Boolean> SENT = AttributeKey.booleanKey("csi4j.sent");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("csi4j.attempt");

  /** Code of an operation that did not fail. */
  static final String OK = "OK";

  private SpanWords() {}

  /** Records how an operation of csi4j ended. */
  static void ended(Span span, String code) {
    span.setAttribute(CODE, code);
    if (!code.equals(OK)) {
      span.setStatus(io.opentelemetry.api.trace.StatusCode.ERROR, code);
    }
  }
}
