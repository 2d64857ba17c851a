package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.nio.file.Path;

/**
 * The address of a plugin: a UNIX domain socket, written {@code unix:///run/csi/csi.sock}.
 *
 * @param path the absolute path of the socket
 * @since 1.0
 */
public record CsiEndpoint(Path path) {

  private static final String SCHEME = "unix://";

  /** Refuses a path that is not absolute. */
  public CsiEndpoint {
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException(
          "The socket path " + SafeText.quote(path.toString()) + " is not absolute.");
    }
  }

  /** Returns the endpoint at this absolute path. */
  public static CsiEndpoint of(Path path) {
    return new CsiEndpoint(path);
  }

  /**
   * Parses the format of {@code CSI_ENDPOINT}: {@code unix://} and an absolute path.
   *
   * @throws IllegalArgumentException if the text has another format; the message names the fault
   */
  public static CsiEndpoint parse(String text) {
    String shown = SafeText.quote(text);
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("The endpoint " + shown + " contains a NUL.");
    }
    if (!text.startsWith(SCHEME)) {
      throw new IllegalArgumentException(
          "The endpoint "
              + shown
              + " does not begin with unix://. CSI runs over UNIX domain sockets only; write"
              + " unix:///absolute/path/csi.sock.");
    }
    String path = text.substring(SCHEME.length());
    if (path.startsWith("@")) {
      throw new IllegalArgumentException(
          "The endpoint " + shown + " names an abstract socket. CSI needs a socket with a path.");
    }
    if (!path.startsWith("/") || path.equals("/")) {
      throw new IllegalArgumentException(
          "The endpoint "
              + shown
              + " has no absolute path. Write three slashes: unix:///absolute/path/csi.sock.");
    }
    return new CsiEndpoint(Path.of(path));
  }

  /** The endpoint in the format of {@link #parse}, escaped. */
  @Override
  public String toString() {
    return SCHEME + SafeText.escape(path.toString());
  }
}
