package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.internal.backend.Refusal;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The meaning of the failures of this machine for the caller of the plugin. */
final class StorageRefusals {

  private StorageRefusals() {}

  /** Work that can fail in all these ways. */
  interface Work {
    void run() throws IOException, Refusal;
  }

  /** Does it; every failure becomes a refusal that says what failed, why, and what to do. */
  static void attempt(String doing, Work work) throws Refusal {
    try {
      work.run();
    } catch (MountException e) {
      throw new Refusal(code(e.reason()), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new Refusal(StatusCode.INTERNAL, doing + " failed: " + why(e));
    }
  }

  /** A path of the caller. */
  static MountPath path(String field, String text) throws Refusal {
    try {
      return MountPath.of(text);
    } catch (IllegalArgumentException e) {
      throw new Refusal(StatusCode.INVALID_ARGUMENT, field + ": " + e.getMessage());
    }
  }

  private static StatusCode code(MountException.Reason reason) {
    return switch (reason) {
      case SYMLINK, OUTSIDE, WRONG_KIND, NOT_FOUND -> StatusCode.INVALID_ARGUMENT;
      case BUSY -> StatusCode.FAILED_PRECONDITION;
      case DEADLINE, INTERRUPTED -> StatusCode.ABORTED;
      case LIMIT, STUCK -> StatusCode.RESOURCE_EXHAUSTED;
      default -> StatusCode.INTERNAL;
    };
  }

  private static String why(IOException e) {
    if (!(e instanceof FileSystemException file)) {
      return SafeText.escape(String.valueOf(e.getMessage()));
    }
    String path = SafeText.quote(String.valueOf(file.getFile()));
    if (e instanceof NoSuchFileException) {
      return path + " is missing. Look who removed it.";
    }
    if (e instanceof AccessDeniedException) {
      return "this process may not use " + path + ". Run the plugin as its owner.";
    }
    if (e instanceof FileAlreadyExistsException) {
      return path + " is there already. Look who made it.";
    }
    String reason = file.getReason();
    return path + ": " + (reason == null ? "no reason is known" : SafeText.escape(reason)) + ".";
  }
}
