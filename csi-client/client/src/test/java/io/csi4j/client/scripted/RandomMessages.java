package io.csi4j.client.scripted;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.model.CsiOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Messages of every kind, filled at random. */
public final class RandomMessages {

  private static final String NASTY =
      "aZ09 ._-/+%=\\'\"`$&<>,;:{}[]()!?~\t\n\r"
          + "\0\u0007\u001b\u007f\u0085éßж漢\u202e\u2028\u200f\ufeff";

  private RandomMessages() {}

  /** The empty requests and answers of all operations. */
  public static List<Message> prototypes() {
    List<Message> all = new ArrayList<>();
    for (CsiOperation operation : CsiOperation.values()) {
      all.add(Wire.request(operation));
      all.add(Wire.response(operation));
    }
    return all;
  }

  /** A message with most fields filled; texts, also map keys, come from {@code texts}. */
  public static Message fill(
      Message prototype, Random random, Function<FieldDescriptor, String> texts) {
    Message.Builder builder = prototype.newBuilderForType();
    for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
      if (random.nextInt(8) == 0) {
        continue;
      }
      if (!field.isRepeated()) {
        builder.setField(field, value(field, builder, random, texts));
        continue;
      }
      int elements = random.nextInt(20) == 0 ? 40 : random.nextInt(4);
      for (int i = 0; i < elements; i++) {
        if (field.isMapField()) {
          Message.Builder entry = builder.newBuilderForField(field);
          FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
          FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
          entry.setField(key, texts.apply(key)).setField(value, texts.apply(field));
          builder.addRepeatedField(field, entry.build());
        } else {
          builder.addRepeatedField(field, value(field, builder, random, texts));
        }
      }
    }
    return builder.build();
  }

  private static Object value(
      FieldDescriptor field,
      Message.Builder builder,
      Random random,
      Function<FieldDescriptor, String> texts) {
    return switch (field.getJavaType()) {
      case STRING -> texts.apply(field);
      case MESSAGE ->
          fill(builder.newBuilderForField(field).getDefaultInstanceForType(), random, texts);
      case INT -> random.nextInt(-5, 1000);
      case LONG -> random.nextLong(-5, 1L << 40);
      case BOOLEAN -> random.nextBoolean();
      case ENUM -> {
        List<EnumValueDescriptor> values = field.getEnumType().getValues();
        yield random.nextInt(10) == 0
            ? field.getEnumType().findValueByNumberCreatingIfUnknown(99)
            : values.get(random.nextInt(values.size()));
      }
      case FLOAT, DOUBLE, BYTE_STRING -> throw new AssertionError(field);
    };
  }

  /** A text of characters that something or other takes amiss; well-formed unless told. */
  public static String nasty(Random random, int least, int most, boolean loneSurrogates) {
    StringBuilder out = new StringBuilder();
    int length = random.nextInt(least, most + 1);
    while (out.length() < length) {
      switch (random.nextInt(loneSurrogates ? 6 : 5)) {
        case 0 -> out.append((char) random.nextInt('a', 'z' + 1));
        case 1 -> out.appendCodePoint(random.nextInt(0x1F600, 0x1F640));
        case 5 -> out.append((char) random.nextInt(0xD800, 0xE000));
        default -> out.append(NASTY.charAt(random.nextInt(NASTY.length())));
      }
    }
    return out.toString();
  }
}
