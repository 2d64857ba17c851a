package io.csi4j.opentelemetry;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names for spans of calls, of OpenTelemetry's semantic conventions. While programs move from
 * one to the other, the environment says which are emitted, for all instrumentations of a process.
 */
enum RpcConvention {
  /** The experimental names, as of release 1.37. */
  EXPERIMENTAL,
  /** The stable names, as of release 1.45. */
  STABLE,
  /** All of them; of an attribute that has another value in each, the stable value. */
  BOTH;

  /** The variable, and the system property that has precedence. */
  static final String VARIABLE = "OTEL_SEMCONV_STABILITY_OPT_IN";

  static final String PROPERTY = "otel.semconv-stability.opt-in";

  /** Returns the convention that the process is started with. */
  static RpcConvention ofProcess() {
    return of(
        Optional.ofNullable(System.getProperty(PROPERTY))
            .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
            .orElse(""));
  }

  /** Returns the convention of a list with commas. Other entries of the list are for others. */
  static RpcConvention of(String optIn) {
    Set<String> entries =
        Arrays.stream(optIn.split(",", -1)).map(String::strip).collect(Collectors.toSet());
    if (entries.contains("rpc/dup")) {
      return BOTH;
    }
    return entries.contains("rpc") ? STABLE : EXPERIMENTAL;
  }

  boolean isExperimental() {
    return this != STABLE;
  }

  boolean isStable() {
    return this != EXPERIMENTAL;
  }
}
