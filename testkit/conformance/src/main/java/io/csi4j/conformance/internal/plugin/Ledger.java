package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file with the requests that undo the effects of a run. After a crash, a later run reads the
 * file and sends these requests. Each line contains the type of a request and its fields in
 * protobuf's text format. The file contains no secrets, because the later run has the secrets in
 * its own description.
 */
final class Ledger {

  private static final String HEAD =
      "csi4j conformance: things that a run has created and not " + "removed";

  /** Empty requests of all operations, by the names of their types. */
  private static final Map<String, Message> TYPES =
      Arrays.stream(CsiOperation.values())
          .map(RawPlugin::request)
          .collect(Collectors.toMap(each -> each.getDescriptorForType().getName(), each -> each));

  private static final String DIRECTORY = "directory ";

  private static final TextFormat.Printer PRINTER =
      TextFormat.printer().emittingSingleLine(true).escapingNonAscii(false);

  private final Path file;

  Ledger(Path file) {
    this.file = file;
  }

  /** Replaces the content with these requests and directories. */
  void write(List<Message> undos, List<Path> directories) {
    List<String> lines = new ArrayList<>();
    lines.add(HEAD);
    for (Path each : directories) {
      lines.add(DIRECTORY + TextFormat.escapeBytes(ByteString.copyFromUtf8(each.toString())));
    }
    for (Message each : undos) {
      lines.add(
          "%s %s"
              .formatted(
                  each.getDescriptorForType().getName(),
                  PRINTER.printToString(ProtoMessage.withoutSecrets(each)).trim()));
    }
    try {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.deleteIfExists(next);
      Files.createFile(
          next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.write(next, lines);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the run cannot note in %s what it creates: %s. Free disk space"
              .formatted(SafeText.quote(file.toString()), SafeText.escape(e.toString(), 256)),
          e);
    }
  }

  /** Removes the file, after all effects of the run are undone. */
  void remove() {
    try {
      boolean unused = Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(
          SafeText.quote(file.toString()) + " cannot be removed, although nothing is left.", e);
    }
  }

  /**
   * Reads the requests, oldest first, and adds to each request the secrets that {@code secrets}
   * returns for it.
   */
  List<Message> undos(Function<Message, Map<String, String>> secrets) {
    List<Message> undos = new ArrayList<>();
    for (String line : lines()) {
      if (!line.startsWith(DIRECTORY)) {
        Message request = request(line);
        boolean isSecret = request.getDescriptorForType().findFieldByName("secrets") != null;
        undos.add(
            isSecret
                ? MessageFields.with(request, Map.of("secrets", secrets.apply(request)))
                : request);
      }
    }
    return undos;
  }

  /** Reads the directories that the run created, parents first. */
  List<Path> directories() {
    return lines().stream()
        .filter(line -> line.startsWith(DIRECTORY))
        .map(line -> directory(line.substring(DIRECTORY.length())))
        .toList();
  }

  private List<String> lines() {
    try {
      List<String> lines = Files.readAllLines(file);
      if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
        throw new IllegalArgumentException(
            SafeText.quote(file.toString())
                + " is not a file in which a run of the suite noted what it created.");
      }
      return lines.subList(1, lines.size());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          SafeText.quote(file.toString()) + " cannot be read: " + SafeText.escape(e.toString()), e);
    }
  }

  private Message request(String line) {
    String[] words = line.split(" ", 2);
    Message type = TYPES.get(words[0]);
    if (type == null) {
      throw damaged("a line is not a request", null);
    }
    Message.Builder request = type.newBuilderForType();
    try {
      TextFormat.merge(words.length == 1 ? "" : words[1], request);
      return request.build();
    } catch (TextFormat.ParseException e) {
      throw damaged("a line is not a request", e);
    }
  }

  private Path directory(String text) {
    try {
      return Path.of(TextFormat.unescapeBytes(text).toStringUtf8());
    } catch (TextFormat.InvalidEscapeSequenceException | InvalidPathException e) {
      throw damaged("a line is not a directory", e);
    }
  }

  private IllegalArgumentException damaged(String why, @Nullable Exception e) {
    return new IllegalArgumentException(
        SafeText.quote(file.toString()) + " is damaged: " + why + ".", e);
  }
}
