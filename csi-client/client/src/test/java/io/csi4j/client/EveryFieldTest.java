package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Int64Value;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.client.scripted.Walk;
import io.csi4j.client.scripted.Wire;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every call, every field, both ways: driven by the compiled descriptors, so that a field without a
 * setter or an accessor is found, whoever adds or removes it.
 */
class EveryFieldTest {

  @TempDir Path directory;
  private ScriptedPlugin scripted;
  private CsiPlugin plugin;
  private List<NodeCapability> offered = List.of(NodeCapability.values());

  @BeforeEach
  void connect() {
    scripted = ScriptedPlugin.start(directory.resolve("csi.sock"));
    // With STAGE_UNSTAGE_VOLUME no volume can be published without a staging path.
    scripted.on(
        CsiOperation.NODE_GET_CAPABILITIES,
        (call, reply) -> reply.ok(ScriptedPlugin.nodeCapabilities(offered)));
    plugin = CsiPlugin.connect(scripted.endpoint());
  }

  @AfterEach
  void close() {
    plugin.close();
    scripted.close();
  }

  @Test
  void thereAreThirtySixCalls() {
    assertThat(CsiOperation.values()).hasSize(36);
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void everyCallReachesThePluginFromBothFaces(CsiOperation operation) {
    offer(operation);
    Samples samples = new Samples(1);
    scripted.forget();
    Samples.call(plugin, operation, samples.request(operation, false));
    Samples.callAsync(plugin, operation, samples.request(operation, true));
    assertThat(scripted.calls(operation)).hasSizeGreaterThanOrEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void nomad8239_everyRequestFieldCanBeSetAndReadBack(CsiOperation operation) {
    offer(operation);
    Set<String> reached = new TreeSet<>();
    for (int seed = 0; seed < 6; seed++) {
      Object request = new Samples(seed).request(operation, true);
      scripted.forget();
      Samples.call(plugin, operation, request);
      List<ScriptedPlugin.Call> calls = scripted.calls(operation);
      Message seen = calls.get(calls.size() - 1).request();
      collectSet("", seen, reached);
    }
    reached.addAll(reachedOnlyWithoutTheOtherChoice(operation));
    assertThat(reached).containsExactlyInAnyOrderElementsOf(allFields(Wire.request(operation)));
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void everySetterChangesBothTheMessageAndWhatTheRequestTells(CsiOperation operation) {
    Optional<Class<?>> type = Samples.requestType(operation);
    if (type.isEmpty()) {
      assertThat(Wire.request(operation).getDescriptorForType().getFields()).isEmpty();
      return;
    }
    for (Method setter : Samples.setters(type.get())) {
      Object without = Samples.build(new Samples(7).builder(type.get()));
      Samples samples = new Samples(7);
      Object builder = samples.builder(type.get());
      samples.set(builder, setter);
      Object with = Samples.build(builder);
      assertThat(Walk.lines(with)).as(setter.toString()).isNotEqualTo(Walk.lines(without));
      assertThat(with).isNotEqualTo(without);
    }
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void aRequestComparesByValueAndStaysAsItWasBuilt(CsiOperation operation) {
    Optional<Class<?>> type = Samples.requestType(operation);
    if (type.isEmpty()) {
      return;
    }
    for (Method setter : Samples.setters(type.get())) {
      Samples samples = new Samples(7);
      Object builder = samples.builder(type.get());
      Object built = Samples.build(builder);
      samples.set(builder, setter);
      assertThat(built)
          .as(setter.toString())
          .isEqualTo(Samples.build(new Samples(7).builder(type.get())));
    }
    assertThat(new Samples(7).request(operation, true))
        .isEqualTo(new Samples(7).request(operation, true))
        .hasSameHashCodeAs(new Samples(7).request(operation, true))
        .isNotEqualTo(new Samples(8).request(operation, true));
  }

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void everyResponseFieldShowsInTheResult(CsiOperation operation) {
    Object request = new Samples(3).request(operation, true);
    Message asked = asked(operation, request);
    Message answer = fullAnswer(operation, asked);
    Set<String> baseline = resultFor(operation, request, answer);
    List<String> silent = new ArrayList<>();
    for (Variant variant : variants(operation, answer)) {
      if (resultFor(operation, request, variant.answer()).equals(baseline)) {
        silent.add(variant.field());
      }
    }
    assertThat(silent).isEmpty();
  }

  private void offer(CsiOperation operation) {
    if (operation == CsiOperation.NODE_PUBLISH_VOLUME) {
      offered = List.of(NodeCapability.SINGLE_NODE_MULTI_WRITER, NodeCapability.VOLUME_MOUNT_GROUP);
    }
  }

  // ---- requests

  private static void collectSet(String path, Message message, Set<String> reached) {
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              String here = path + field.getName();
              reached.add(here);
              if (field.isMapField() || field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                return;
              }
              List<?> elements = value instanceof List<?> list ? list : List.of(value);
              elements.forEach(each -> collectSet(here + ".", (Message) each, reached));
            });
  }

  private static Set<String> allFields(Message prototype) {
    Set<String> all = new TreeSet<>();
    collectAll("", prototype.getDescriptorForType(), all);
    return all;
  }

  private static void collectAll(String path, Descriptor type, Set<String> all) {
    for (FieldDescriptor field : type.getFields()) {
      String here = path + field.getName();
      all.add(here);
      if (!field.isMapField() && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        collectAll(here + ".", field.getMessageType(), all);
      }
    }
  }

  /** Where a sample with a filesystem hides the block device beside it. */
  private Set<String> reachedOnlyWithoutTheOtherChoice(CsiOperation operation) {
    Set<String> reached = new TreeSet<>();
    Optional<Class<?>> type = Samples.requestType(operation);
    if (type.isEmpty()) {
      return reached;
    }
    VolumeCapability block = VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);
    try {
      for (Method factory : type.get().getMethods()) {
        if (factory.getName().equals("builder")
            && List.of(factory.getParameterTypes()).contains(VolumeCapability.class)) {
          Object[] arguments = new Object[factory.getParameterCount()];
          for (int i = 0; i < arguments.length; i++) {
            Class<?> parameter = factory.getParameterTypes()[i];
            arguments[i] =
                parameter == VolumeCapability.class
                    ? block
                    : parameter.getMethod("of", String.class).invoke(null, "/x");
          }
          send(operation, Samples.build(factory.invoke(null, arguments)), reached);
        }
      }
      for (Method setter : Samples.setters(type.get())) {
        if (setter.getParameterTypes()[0] == VolumeCapability.class) {
          Object builder = new Samples(0).builder(type.get());
          setter.invoke(builder, block);
          send(operation, Samples.build(builder), reached);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
    reached.removeIf(path -> !path.endsWith(".block"));
    return reached;
  }

  private void send(CsiOperation operation, Object request, Set<String> reached) {
    collectSet("", asked(operation, request), reached);
  }

  /** The message that {@code request} becomes. */
  private Message asked(CsiOperation operation, @Nullable Object request) {
    scripted.forget();
    Samples.call(plugin, operation, request);
    List<ScriptedPlugin.Call> calls = scripted.calls(operation);
    return calls.get(calls.size() - 1).request();
  }

  // ---- responses

  private Set<String> resultFor(CsiOperation operation, @Nullable Object request, Message answer) {
    scripted.answer(operation, answer);
    return Walk.lines(Samples.call(plugin, operation, request));
  }

  private record Variant(String field, Message answer) {}

  /** A valid answer in which every field is set. */
  private static Message fullAnswer(CsiOperation operation, Message asked) {
    Message.Builder answer = ScriptedPlugin.defaultAnswer(operation, asked).toBuilder();
    fill(operation, answer, new int[] {0});
    return answer.build();
  }

  /** Sets what is not set yet. */
  private static void fill(CsiOperation operation, Message.Builder message, int[] counter) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      boolean chosen =
          field.getContainingOneof() != null
              && message.hasOneof(field.getContainingOneof())
              && !message.hasField(field);
      if (chosen) {
        continue;
      }
      if (field.isMapField()) {
        if (message.getRepeatedFieldCount(field) == 0) {
          message.addRepeatedField(field, mapEntry(message, field, counter));
        }
      } else if (field.isRepeated()) {
        if (message.getRepeatedFieldCount(field) == 0) {
          message.addRepeatedField(field, element(operation, message, field, counter));
        } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
          for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
            Message.Builder each = ((Message) message.getRepeatedField(field, i)).toBuilder();
            fill(operation, each, counter);
            message.setRepeatedField(field, i, each.build());
          }
        }
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        Message.Builder inner = ((Message) message.getField(field)).toBuilder();
        if (!(inner instanceof Timestamp.Builder) || !message.hasField(field)) {
          fill(operation, inner, counter);
        }
        message.setField(field, inner.build());
      } else if (message.getField(field).equals(field.getDefaultValue())) {
        message.setField(field, scalar(field, counter[0]++));
      }
    }
  }

  private static Object element(
      CsiOperation operation, Message.Builder message, FieldDescriptor field, int[] counter) {
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      Message.Builder inner = message.newBuilderForField(field);
      fill(operation, inner, counter);
      return inner.build();
    }
    return scalar(field, counter[0]++);
  }

  private static Message mapEntry(Message.Builder message, FieldDescriptor field, int[] counter) {
    Message.Builder entry = message.newBuilderForField(field);
    entry.setField(field.getMessageType().findFieldByName("key"), "key" + counter[0]++);
    entry.setField(field.getMessageType().findFieldByName("value"), "value" + counter[0]++);
    return entry.build();
  }

  private static Object scalar(FieldDescriptor field, int n) {
    return switch (field.getJavaType()) {
      case STRING -> "text" + n;
      // Large enough for any capacity asked, small enough for nanoseconds and ranges.
      case LONG ->
          switch (field.getName()) {
            case "size_bytes" -> 4096L;
            case "volume_capacity_bytes" -> 1L << 30;
            case "maximum_volume_size" -> 1L << 40;
            default -> 2_000_000L + n;
          };
      case INT -> n;
      case BOOLEAN -> true;
      case ENUM -> field.getEnumType().findValueByNumber(1);
      default -> throw new AssertionError(field);
    };
  }

  /** The answer with one field changed at a time, where a plugin is free to answer differently. */
  private static List<Variant> variants(CsiOperation operation, Message answer) {
    List<Variant> variants = new ArrayList<>();
    vary("", answer, changed -> changed, variants);
    Set<String> bound = boundToTheRequest(operation);
    variants.removeIf(variant -> bound.contains(variant.field()));
    return variants;
  }

  /** Fields that have to repeat what was asked: another value is refused, which is tested apart. */
  private static Set<String> boundToTheRequest(CsiOperation operation) {
    return switch (operation) {
      case CREATE_VOLUME ->
          Set.of(
              "volume.content_source.snapshot.snapshot_id",
              "volume.content_source.volume.volume_id");
      case CREATE_SNAPSHOT -> Set.of("snapshot.source_volume_id");
      case GET_SNAPSHOT -> Set.of("snapshot.snapshot_id");
      case CONTROLLER_GET_VOLUME -> Set.of("volume.volume_id");
      case CONTROLLER_GET_VOLUME_HEALTH, NODE_GET_VOLUME_HEALTH ->
          Set.of("volume_health.volume_id");
      case CREATE_VOLUME_GROUP_SNAPSHOT ->
          Set.of(
              "group_snapshot.group_snapshot_id",
              "group_snapshot.snapshots[0].source_volume_id",
              "group_snapshot.snapshots[0].group_snapshot_id");
      case GET_VOLUME_GROUP_SNAPSHOT ->
          Set.of(
              "group_snapshot.group_snapshot_id",
              "group_snapshot.snapshots[0].snapshot_id",
              "group_snapshot.snapshots[0].group_snapshot_id");
      default -> Set.of();
    };
  }

  private static void vary(
      String path,
      Message message,
      java.util.function.UnaryOperator<Message> whole,
      List<Variant> variants) {
    for (FieldDescriptor field : message.getAllFields().keySet()) {
      String here = path + field.getName();
      if (field.isMapField()) {
        variants.add(new Variant(here, whole.apply(message.toBuilder().clearField(field).build())));
      } else if (field.isRepeated()) {
        Object first = message.getRepeatedField(field, 0);
        if (first instanceof Message inner) {
          vary(
              here + "[0].",
              inner,
              changed ->
                  whole.apply(message.toBuilder().setRepeatedField(field, 0, changed).build()),
              variants);
        } else {
          variants.add(
              new Variant(
                  here,
                  whole.apply(message.toBuilder().setRepeatedField(field, 0, "other").build())));
        }
      } else if (message.getField(field) instanceof Message inner) {
        if (inner instanceof BoolValue || inner instanceof Int64Value) {
          variants.add(
              new Variant(here, whole.apply(message.toBuilder().clearField(field).build())));
        }
        vary(
            here + ".",
            inner,
            changed -> whole.apply(message.toBuilder().setField(field, changed).build()),
            variants);
      } else {
        variants.add(
            new Variant(
                here,
                whole.apply(
                    message.toBuilder().setField(field, other(message.getField(field))).build())));
      }
    }
  }

  private static Object other(Object value) {
    if (value instanceof String text) {
      return text + "-other";
    } else if (value instanceof Long number) {
      return number + 1;
    } else if (value instanceof Integer number) {
      return number + 1;
    } else if (value instanceof Boolean flag) {
      return !flag;
    } else if (value instanceof EnumValueDescriptor constant) {
      EnumValueDescriptor another =
          constant.getType().findValueByNumber(constant.getNumber() == 1 ? 2 : 1);
      return another == null ? constant.getType().findValueByNumber(0) : another;
    }
    throw new AssertionError(value);
  }
}
