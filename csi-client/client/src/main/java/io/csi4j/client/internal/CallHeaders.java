package io.csi4j.client.internal;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.ConnectOptions.CallMetadata;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.grpc.Metadata;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The metadata of one call, as supplied by the host. A mistake in the host's metadata never
 * prevents a call.
 */
final class CallHeaders {

  /** Headers that add nothing to the metadata of gRPC itself. */
  static final CallHeaders NONE = new CallHeaders(attempt -> Map.of());

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.client");
  private static final AtomicBoolean HAS_FAILED = new AtomicBoolean();

  private static final Pattern NAME = Pattern.compile("(?!grpc-)[a-z0-9_.-]+(?<!-bin)");
  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]*");

  private final Function<CsiListener.Started, Map<String, String>> source;

  private CallHeaders(Function<CsiListener.Started, Map<String, String>> source) {
    this.source = source;
  }

  /** Asks the host for the metadata of a call. The caller of the call must run on this thread. */
  static CallHeaders of(CallMetadata metadata, CsiOperation operation) {
    try {
      return new CallHeaders(metadata.of(operation));
    } catch (Throwable failure) {
      // An Error is caught, too, because the call must continue.
      failed(failure);
      return NONE;
    }
  }

  /** Returns the metadata for one attempt, as a new object that gRPC may change. */
  Metadata of(CsiListener.Started attempt) {
    Metadata headers = new Metadata();
    if (this == NONE) {
      return headers;
    }
    try {
      source.apply(attempt).forEach((name, value) -> put(headers, name, value));
      return headers;
    } catch (Throwable failure) {
      failed(failure);
      return new Metadata();
    }
  }

  /** The value is not logged: the host may have put confidential data there. */
  private static void put(Metadata headers, String name, String value) {
    if (NAME.matcher(name).matches() && VALUE.matcher(value).matches()) {
      headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    } else {
      LOGGER.log(
          level(),
          "Metadata {0} was not sent: a name has lower-case letters, digits, ''-'', ''_'' and"
              + " ''.'', does not begin with grpc- or end with -bin, and a value has printable"
              + " ASCII.",
          SafeText.quote(name));
    }
  }

  private static void failed(Throwable failure) {
    LOGGER.log(
        level(),
        "A CallMetadata failed. The call is sent without metadata; further failures are logged for"
            + " debugging only.",
        failure);
  }

  private static Level level() {
    return HAS_FAILED.getAndSet(true) ? Level.DEBUG : Level.WARNING;
  }
}
