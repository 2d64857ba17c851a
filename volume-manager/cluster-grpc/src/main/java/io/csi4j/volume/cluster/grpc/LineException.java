package io.csi4j.volume.cluster.grpc;

import io.csi4j.volume.internal.text.ForeignText;
import io.grpc.Status;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLException;

/** A request that was not answered. The message gives the reason, as a clause. */
final class LineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean isRefusal;

  LineException(String why, boolean isRefusal) {
    super(why);
    this.isRefusal = isRefusal;
  }

  /** Whether the request was refused, and would be refused again. */
  boolean isRefusal() {
    return isRefusal;
  }

  static LineException of(Status status) {
    return switch (status.getCode()) {
      case DEADLINE_EXCEEDED -> new LineException("it did not answer in time", false);
      case PERMISSION_DENIED, UNAUTHENTICATED -> new LineException(text(status), true);
      case UNIMPLEMENTED -> new LineException("no control plane of csi4j listens there", false);
      case RESOURCE_EXHAUSTED -> {
        boolean isLarge = text(status).contains("exceeds maximum size");
        yield new LineException(
            (isLarge ? "a message is larger than 4 MiB: " : "") + text(status), isLarge);
      }
      default -> new LineException(text(status), false);
    };
  }

  /**
   * Returns the last cause of a failure, or the description where there is no cause. The
   * description of gRPC begins with its internal handlers, which mean nothing to an operator.
   */
  private static String text(Status status) {
    String said =
        status.getDescription() == null ? status.getCode().name() : status.getDescription();
    String begin = "";
    for (Throwable each = status.getCause(); each != null; each = each.getCause()) {
      said = each.getMessage() == null ? each.getClass().getSimpleName() : each.getMessage();
      if (each instanceof SSLException) {
        begin = "the TLS handshake failed: ";
      } else if (each instanceof GeneralSecurityException) {
        begin = "its certificate is not accepted here: ";
      }
    }
    return begin + ForeignText.clause(said.lines().findFirst().orElse(""));
  }
}
