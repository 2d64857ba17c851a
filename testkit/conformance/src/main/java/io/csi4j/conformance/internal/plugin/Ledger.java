package io.csi4j.conformance.internal.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file with the calls that undo what a run has made, for the run that cleans up after a crash. It
 * holds no secrets: the run that reads it has its own.
 */
final class Ledger {

  private static final String HEAD = "csi4j conformance: what a run has made and not undone";

  /** The requests that undo something, by the names of their types. */
  private static final Map<String, Message> TYPES =
      RawPlugin.requests().stream()
          .collect(Collectors.toMap(each -> each.getDescriptorForType().getName(), each -> each));

  private final Path file;

  Ledger(Path file) {
    this.file = file;
  }

  /** Writes these in place of all others. */
  void write(List<Message> undos, List<Path> directories) {
    List<String> lines = new ArrayList<>();
    lines.add(HEAD);
    directories.forEach(each -> lines.add("directory " + base64(each.toString().getBytes(UTF_8))));
    for (Message each : undos) {
      lines.add(
          each.getDescriptorForType().getName() + " " + base64(withoutSecrets(each).toByteArray()));
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
          "What the run makes cannot be noted in " + SafeText.quote(file.toString()) + ".", e);
    }
  }

  /** Removes the file: nothing is left of the run. */
  void remove() {
    try {
      boolean unused = Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(
          SafeText.quote(file.toString()) + " cannot be removed, though nothing is left.", e);
    }
  }

  /** Reads the requests, oldest first, each with the secrets that {@code secrets} has for it. */
  List<Message> undos(Function<Message, Map<String, String>> secrets) {
    List<Message> undos = new ArrayList<>();
    for (String line : lines()) {
      String[] words = line.split(" ", 2);
      Message type = TYPES.get(words[0]);
      if (type != null && words.length == 2) {
        undos.add(withSecrets(parsed(type, words[1]), secrets));
      }
    }
    return undos;
  }

  /** Reads the directories that the run made, parents first. */
  List<Path> directories() {
    return lines().stream()
        .filter(line -> line.startsWith("directory "))
        .map(line -> Path.of(new String(decoded(line.substring(10)), UTF_8)))
        .toList();
  }

  private List<String> lines() {
    try {
      List<String> lines = Files.readAllLines(file);
      if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
        throw new IllegalArgumentException(
            SafeText.quote(file.toString())
                + " is no file in which a run of the suite noted what it made.");
      }
      return lines;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          SafeText.quote(file.toString()) + " cannot be read: " + SafeText.escape(e.toString()), e);
    }
  }

  private static Message withSecrets(
      Message request, Function<Message, Map<String, String>> secrets) {
    FieldDescriptor field = secretsOf(request);
    if (field == null) {
      return request;
    }
    Message.Builder builder = request.toBuilder();
    FieldDescriptor key = field.getMessageType().findFieldByName("key");
    FieldDescriptor value = field.getMessageType().findFieldByName("value");
    secrets
        .apply(request)
        .forEach(
            (name, secret) ->
                builder.addRepeatedField(
                    field,
                    builder
                        .newBuilderForField(field)
                        .setField(key, name)
                        .setField(value, secret)
                        .build()));
    return builder.build();
  }

  private Message parsed(Message type, String text) {
    try {
      return type.getParserForType().parseFrom(decoded(text));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(
          SafeText.quote(file.toString()) + " is damaged: a line is no request.", e);
    }
  }

  private byte[] decoded(String text) {
    return Base64.getDecoder().decode(text);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static Message withoutSecrets(Message request) {
    FieldDescriptor field = secretsOf(request);
    return field == null ? request : request.toBuilder().clearField(field).build();
  }

  private static @Nullable FieldDescriptor secretsOf(Message request) {
    return request.getDescriptorForType().findFieldByName("secrets");
  }
}
