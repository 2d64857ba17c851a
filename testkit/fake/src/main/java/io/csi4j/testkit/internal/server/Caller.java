package io.csi4j.testkit.internal.server;

import java.util.List;

/** The way back to who made one call. */
public interface Caller {

  /** The connection that it came on; compares by identity. */
  Object connection();

  /** Sends messages, then OK with a text, mostly an empty one. */
  void answer(List<byte[]> messages, String text);

  /** Sends a status with any number. */
  void fail(int code, String text);

  /** Refuses the call below gRPC: the stream is reset. */
  void reset();

  /** Breaks the connection, and with it the other calls on it. */
  void drop();
}
