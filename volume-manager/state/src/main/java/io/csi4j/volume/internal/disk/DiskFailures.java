package io.csi4j.volume.internal.disk;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Names what the JDK only throws. It shows no errno, so the type of the exception is asked first,
 * then the filesystem, and last the text of the C library. Only the name of a failure depends on
 * that, never whether it is one.
 */
final class DiskFailures {

  private DiskFailures() {}

  static DiskException of(Path path, IOException failure, Function<Path, Optional<Kind>> state) {
    Kind kind =
        byType(failure)
            .or(() -> byText(String.valueOf(failure.getMessage())))
            .or(() -> state.apply(path))
            .orElse(Kind.FAILED);
    return new DiskException(kind, path.getFileName() + ": " + reason(failure), failure);
  }

  private static Optional<Kind> byType(IOException failure) {
    if (failure instanceof AccessDeniedException) {
      return Optional.of(Kind.DENIED);
    } else if (failure instanceof NoSuchFileException) {
      return Optional.of(Kind.NOT_FOUND);
    } else if (failure instanceof FileAlreadyExistsException
        || failure instanceof DirectoryNotEmptyException
        || failure instanceof NotDirectoryException) {
      return Optional.of(Kind.IN_THE_WAY);
    }
    return Optional.empty();
  }

  private static Optional<Kind> byText(String text) {
    if (text.contains("No space left on device") || text.contains("quota exceeded")) {
      return Optional.of(Kind.NO_SPACE);
    } else if (text.contains("Read-only file system")) {
      return Optional.of(Kind.READ_ONLY);
    } else if (text.contains("Too many open files")) {
      return Optional.of(Kind.TOO_MANY_FILES);
    } else if (text.contains("Permission denied")) {
      return Optional.of(Kind.DENIED);
    } else if (text.contains("No such file or directory")) {
      return Optional.of(Kind.NOT_FOUND);
    }
    return Optional.empty();
  }

  /** Returns the reason, without the path, which may hold more than the state. */
  private static String reason(IOException failure) {
    if (failure instanceof FileSystemException named) {
      String reason = named.getReason();
      return reason == null ? failure.getClass().getSimpleName() : reason;
    }
    String text = failure.getMessage();
    if (text == null) {
      return failure.getClass().getSimpleName();
    }
    int open = text.lastIndexOf('(');
    return failure instanceof FileNotFoundException && open >= 0 && text.endsWith(")")
        ? text.substring(open + 1, text.length() - 1)
        : text;
  }
}
