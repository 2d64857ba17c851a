package io.csi4j.opentelemetry;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The names for spans of calls, from OpenTelemetry's semantic conventions. OpenTelemetry has
 * experimental and stable names. While programs migrate to the stable names, an environment
 * variable selects the names that all instrumentations of a process emit.
 */
enum RpcConvention {
  /** The experimental names of release 1.37. */
  EXPERIMENTAL,
  /** The stable names of release 1.45. */
  STABLE,
  /**
   * Both sets of names. If an attribute has different values in the two sets, the stable value is
   * used.
   */
  BOTH;

  /** The environment variable that selects the convention. A system property has precedence. */
  static final String VARIABLE = "OTEL_SEMCONV_STABILITY_OPT_IN";

  static final String PROPERTY = "otel.semconv-stability.opt-in";

  /** Returns the convention with which the process was started. */
  static RpcConvention ofProcess() {
    return of(
        Optional.ofNullable(System.getProperty(PROPERTY))
            .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
            .orElse(""));
  }

  /**
   * Returns the convention selected by a comma-separated list. Other entries of the list are
   * ignored.
   */
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
