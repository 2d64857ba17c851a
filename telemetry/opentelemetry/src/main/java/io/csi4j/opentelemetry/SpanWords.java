package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;

/** The names and attributes of spans. The table in docs/metrics.md has the same. */
final class SpanWords {

  static final String SCOPE = "io.csi4j";

  static final AttributeKey<String> PLUGIN = AttributeKey.stringKey("csi4j.plugin");
  static final AttributeKey<String> VOLUME = AttributeKey.stringKey("csi4j.volume");
  static final AttributeKey<String> WORKLOAD = AttributeKey.stringKey("csi4j.workload");
  static final AttributeKey<String> CODE = AttributeKey.stringKey("csi4j.code");
  static final AttributeKey<Boolean> SENT = AttributeKey.booleanKey("csi4j.sent");
  static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("csi4j.attempt");

  /** The attributes that OpenTelemetry itself has for calls. */
  static final AttributeKey<String> RPC_SYSTEM = AttributeKey.stringKey("rpc.system");

  static final AttributeKey<String> RPC_SERVICE = AttributeKey.stringKey("rpc.service");
  static final AttributeKey<String> RPC_METHOD = AttributeKey.stringKey("rpc.method");
  static final AttributeKey<Long> RPC_STATUS = AttributeKey.longKey("rpc.grpc.status_code");

  /** The code of what did not fail. */
  static final String OK = "OK";

  private SpanWords() {}

  /** A span of a call, to be started. */
  static SpanBuilder call(Tracer tracer, CsiOperation call, Context parent) {
    return tracer
        .spanBuilder(call.fullName())
        .setSpanKind(SpanKind.CLIENT)
        .setParent(parent)
        .setAttribute(RPC_SYSTEM, "grpc")
        .setAttribute(RPC_SERVICE, call.service().fullName())
        .setAttribute(RPC_METHOD, call.rpcName());
  }

  /** Notes how a call ended. */
  static void ended(Span span, StatusCode code) {
    span.setAttribute(RPC_STATUS, (long) code.value());
    if (code != StatusCode.OK) {
      span.setStatus(io.opentelemetry.api.trace.StatusCode.ERROR, code.name());
    }
  }

  /** Notes how something of csi4j ended. */
  static void ended(Span span, String code) {
    span.setAttribute(CODE, code);
    if (!code.equals(OK)) {
      span.setStatus(io.opentelemetry.api.trace.StatusCode.ERROR, code);
    }
  }
}
