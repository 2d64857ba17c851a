package io.csi4j.opentelemetry;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Optional;

/**
 * Creates the spans of calls to plugins, with OpenTelemetry's names and attributes for gRPC calls.
 * The tables in docs/metrics.md list the same names.
 *
 * @param tracer the tracer that creates the spans
 * @param convention the names of spans and attributes
 */
record RpcSpans(Tracer tracer, RpcConvention convention) {

  // The key of the RPC system in the experimental names of release 1.37.
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("rpc.system");
  static final AttributeKey<String> SERVICE = AttributeKey.stringKey("rpc.service");
  static final AttributeKey<Long> GRPC_STATUS_CODE = AttributeKey.longKey("rpc.grpc.status_code");

  // The key of the RPC system in the stable names of release 1.45.
  static final AttributeKey<String> SYSTEM_NAME = AttributeKey.stringKey("rpc.system.name");
  static final AttributeKey<String> STATUS_CODE = AttributeKey.stringKey("rpc.status_code");
  static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  static final AttributeKey<String> SERVER_ADDRESS = AttributeKey.stringKey("server.address");
  static final AttributeKey<String> PEER_ADDRESS = AttributeKey.stringKey("network.peer.address");

  /**
   * The key of the method name. The experimental names use the method without its service; the
   * stable names include the service.
   */
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("rpc.method");

  private static final String GRPC = "grpc";

  /** Returns the builder for the span of a call. The caller starts the span. */
  SpanBuilder of(CsiOperation call, Context parent, Optional<CsiEndpoint> endpoint) {
    SpanBuilder span =
        tracer
            .spanBuilder(call.fullName())
            .setSpanKind(SpanKind.CLIENT)
            .setParent(parent)
            .setAttribute(METHOD, convention.isStable() ? call.fullName() : call.rpcName());
    if (convention.isExperimental()) {
      span.setAttribute(SYSTEM, GRPC).setAttribute(SERVICE, call.service().fullName());
    }
    if (convention.isStable()) {
      span.setAttribute(SYSTEM_NAME, GRPC);
      endpoint.ifPresent(at -> span.setAttribute(SERVER_ADDRESS, address(at)));
    }
    return span;
  }

  /**
   * Records how a call ended.
   *
   * @param isSent whether the call was sent to the plugin
   */
  void ended(Span span, StatusCode code, boolean isSent, Optional<CsiEndpoint> endpoint) {
    boolean isError = code != StatusCode.OK;
    if (convention.isExperimental()) {
      span.setAttribute(GRPC_STATUS_CODE, (long) code.value());
      if (isError) {
        span.setStatus(io.opentelemetry.api.trace.StatusCode.ERROR, code.name());
      }
    }
    if (convention.isStable()) {
      span.setAttribute(STATUS_CODE, code.name());
      endpoint.ifPresent(at -> span.setAttribute(SERVER_ADDRESS, address(at)));
      endpoint.filter(at -> isSent).ifPresent(at -> span.setAttribute(PEER_ADDRESS, address(at)));
      if (isError) {
        span.setAttribute(ERROR_TYPE, code.name());
      }
    }
    if (isError && convention == RpcConvention.STABLE) {
      // The stable conventions forbid a description that only repeats error.type.
      span.setStatus(io.opentelemetry.api.trace.StatusCode.ERROR);
    }
  }

  private static String address(CsiEndpoint endpoint) {
    return endpoint.path().toString();
  }
}
