package io.csi4j.volume.internal.wire;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.Edition;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FeatureSet;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.TimestampProto;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The definitions of the messages in {@code wire.proto}, read from that file on first use. No
 * classes are generated from the file, because they would make the jar larger: they have ten times
 * the size of all other code for messages.
 */
public final class WireSchema {

  private static final Pattern BLOCK = Pattern.compile("(message|enum|oneof) (\\w+) \\{");
  private static final Pattern FIELD =
      Pattern.compile("(repeated )?([\\w.]+) (\\w+) = (\\d+)(?: \\[(.*)\\])?;");
  private static final Pattern CONSTANT = Pattern.compile("(\\w+) = (\\d+);");

  private static final FileDescriptor FILE = described(text());

  private WireSchema() {}

  private static String text() {
    try (InputStream in =
        Objects.requireNonNull(
            WireSchema.class.getResourceAsStream("/io/csi4j/volume/wire/wire.proto"),
            "wire.proto")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Parses the definitions of the file. Supports only the constructs that {@code wire.proto} uses.
   */
  private static FileDescriptor described(String text) {
    FileDescriptorProto.Builder file =
        FileDescriptorProto.newBuilder()
            .setName("wire.proto")
            .setPackage("csi4j.wire")
            .setSyntax("editions")
            .setEdition(Edition.EDITION_2023)
            .addDependency(TimestampProto.getDescriptor().getName())
            .addDependency(PartsProto.getDescriptor().getName());
    file.getOptionsBuilder()
        .setFeatures(FeatureSet.newBuilder().setFieldPresence(FeatureSet.FieldPresence.IMPLICIT));
    Deque<Object> open = new ArrayDeque<>();
    open.push(file);
    text.lines()
        .map(line -> line.replaceFirst("//.*", "").strip())
        .filter(line -> !line.isEmpty())
        .forEach(line -> read(line, open));
    try {
      return FileDescriptor.buildFrom(
          file.build(),
          new FileDescriptor[] {TimestampProto.getDescriptor(), PartsProto.getDescriptor()});
    } catch (DescriptorValidationException e) {
      throw new IllegalStateException("wire.proto is not valid.", e);
    }
  }

  private static void read(String line, Deque<Object> open) {
    Matcher block = BLOCK.matcher(line);
    if (block.matches()) {
      open.push(opened(block.group(1), block.group(2), open.element()));
    } else if (line.equals("}")) {
      open.pop();
    } else if (open.element() instanceof EnumDescriptorProto.Builder constants) {
      Matcher constant = matched(CONSTANT, line);
      constants
          .addValueBuilder()
          .setName(constant.group(1))
          .setNumber(Integer.parseInt(constant.group(2)));
    } else if (open.element() instanceof DescriptorProto.Builder message) {
      message.addField(field(matched(FIELD, line)));
    } else if (open.element() instanceof Integer oneof) {
      Object choice = open.pop();
      DescriptorProto.Builder message = (DescriptorProto.Builder) open.element();
      message.addField(field(matched(FIELD, line)).setOneofIndex(oneof));
      open.push(choice);
    } else if (!line.matches("(edition|package|import|option) .*;")) {
      throw new IllegalStateException("wire.proto has a line of unknown form: " + line);
    }
  }

  private static Object opened(String kind, String name, Object in) {
    if (in instanceof DescriptorProto.Builder message) {
      return switch (kind) {
        case "message" -> message.addNestedTypeBuilder().setName(name);
        case "enum" -> message.addEnumTypeBuilder().setName(name);
        default -> {
          message.addOneofDeclBuilder().setName(name);
          yield message.getOneofDeclCount() - 1;
        }
      };
    }
    FileDescriptorProto.Builder file = (FileDescriptorProto.Builder) in;
    return kind.equals("message")
        ? file.addMessageTypeBuilder().setName(name)
        : file.addEnumTypeBuilder().setName(name);
  }

  private static Matcher matched(Pattern form, String line) {
    Matcher matcher = form.matcher(line);
    if (!matcher.matches()) {
      throw new IllegalStateException("wire.proto has a line of unknown form: " + line);
    }
    return matcher;
  }

  private static FieldDescriptorProto.Builder field(Matcher line) {
    FieldDescriptorProto.Builder field =
        FieldDescriptorProto.newBuilder()
            .setLabel(
                line.group(1) == null
                    ? FieldDescriptorProto.Label.LABEL_OPTIONAL
                    : FieldDescriptorProto.Label.LABEL_REPEATED)
            .setName(line.group(3))
            .setNumber(Integer.parseInt(line.group(4)));
    switch (line.group(2)) {
      case "string", "bytes", "bool", "int32", "uint32", "uint64" ->
          field.setType(
              FieldDescriptorProto.Type.valueOf("TYPE_" + line.group(2).toUpperCase(Locale.ROOT)));
      default -> field.setTypeName(line.group(2));
    }
    String options = Objects.requireNonNullElse(line.group(5), "");
    if (options.equals("debug_redact = true")) {
      field.getOptionsBuilder().setDebugRedact(true);
    } else if (options.equals("features.field_presence = EXPLICIT")) {
      field
          .getOptionsBuilder()
          .getFeaturesBuilder()
          .setFieldPresence(FeatureSet.FieldPresence.EXPLICIT);
    } else if (!options.isEmpty()) {
      throw new IllegalStateException("wire.proto has an option of unknown form: " + options);
    }
    return field;
  }

  /** Returns the descriptor of the file {@code wire.proto}. */
  public static FileDescriptor file() {
    return FILE;
  }

  /** Returns the descriptor of an envelope. */
  static Descriptor envelope() {
    return FILE.findMessageTypeByName("Envelope");
  }

  /**
   * Returns the number of a kind of message. This is the number of the field of an envelope that
   * contains such a message.
   */
  static int kind(String name) {
    return envelope().findFieldByName(name.toLowerCase(Locale.ROOT)).getNumber();
  }

  /**
   * Returns the number of a constant.
   *
   * @param type the name of the enum, with the name of its enclosing message as a prefix
   */
  public static int number(String type, Enum<?> constant) {
    return constants(type).findValueByName(constant.name()).getNumber();
  }

  /** Returns the name of the constant with a number; empty if this version has no such constant. */
  static Optional<String> name(String type, long number) {
    return Optional.of(number)
        .filter(it -> it == (int) number)
        .map(it -> constants(type).findValueByNumber((int) number))
        .map(EnumValueDescriptor::getName);
  }

  private static EnumDescriptor constants(String type) {
    int dot = type.indexOf('.');
    return dot < 0
        ? FILE.findEnumTypeByName(type)
        : FILE.findMessageTypeByName(type.substring(0, dot))
            .findEnumTypeByName(type.substring(dot + 1));
  }
}
