package io.csi4j.client.internal.text;

import java.util.Arrays;

/**
 * Removes the frames of gRPC and its transport from stack traces. An exception that is created when
 * an answer arrives has dozens of these frames. They show neither the caller nor the reason.
 */
public final class OwnFrames {

  private OwnFrames() {}

  /** Removes the frames of gRPC, and all frames below them. */
  public static void keep(Throwable thrown) {
    StackTraceElement[] frames = thrown.getStackTrace();
    for (int i = 0; i < frames.length; i++) {
      String name = frames[i].getClassName();
      if (name.startsWith("io.grpc.") || name.startsWith("io.netty.")) {
        thrown.setStackTrace(Arrays.copyOf(frames, i));
        return;
      }
    }
  }
}
