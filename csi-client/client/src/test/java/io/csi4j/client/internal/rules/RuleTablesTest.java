package io.csi4j.client.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.rules.MessageRules.Choice;
import io.csi4j.client.internal.rules.MessageRules.Field;
import io.csi4j.client.internal.rules.MessageRules.Kind;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.scripted.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The tables as they are read, without what has been read before in this JVM. */
class RuleTablesTest {

  @Test
  void theFieldsOfAPublication() {
    assertThat(told(MessageRules.read(NodePublishVolumeRequest.getDefaultInstance())))
        .containsExactly(
            "volume_id TEXT required",
            "publish_context MAP context",
            "staging_target_path PATH",
            "target_path PATH required",
            "volume_capability MESSAGE required present",
            "secrets MAP secret",
            "volume_context MAP context");
  }

  @Test
  void theFieldsOfACreation() {
    assertThat(told(MessageRules.read(CreateVolumeRequest.getDefaultInstance())))
        .containsExactly(
            "name NAME required",
            "capacity_range MESSAGE present",
            "volume_capabilities MESSAGE required repeated",
            "parameters MAP",
            "secrets MAP secret",
            "volume_content_source MESSAGE present",
            "accessibility_requirements MESSAGE present",
            "mutable_parameters MAP");
  }

  @Test
  void choicesAreNotAmongTheFields() {
    MessageRules rules = MessageRules.read(VolumeCapability.getDefaultInstance());

    assertThat(told(rules)).containsExactly("access_mode MESSAGE required present");
    assertThat(rules.choices())
        .singleElement()
        .satisfies(
            choice -> {
              assertThat(choice.required()).isTrue();
              assertThat(choice.in().getName()).isEqualTo("access_type");
              assertThat(choice.fields().values())
                  .extracting(RuleTablesTest::told)
                  .containsExactlyInAnyOrder("block MESSAGE present", "mount MESSAGE present");
            });
  }

  @Test
  void theKindsOfAMount() {
    assertThat(told(MessageRules.read(MountVolume.getDefaultInstance())))
        .containsExactly("fs_type FS_TYPE", "mount_flags FLAGS", "volume_mount_group TEXT");
  }

  @Test
  void thePlacesOfATopology() {
    assertThat(told(MessageRules.read(Topology.getDefaultInstance())))
        .containsExactly("segments MAP topology");
  }

  @Test
  void whatIsReadOnceIsWhatIsRead() {
    MessageRules rules = MessageRules.of(MountVolume.getDefaultInstance());

    assertThat(told(rules)).isEqualTo(told(MessageRules.read(MountVolume.getDefaultInstance())));
    assertThat(rules).isSameAs(MessageRules.of(MountVolume.getDefaultInstance()));
  }

  @Test
  void eachFieldOfEachRequestIsReadByItsGeneratedMethod() {
    Set<String> kinds = new TreeSet<>();
    for (CsiOperation operation : CsiOperation.values()) {
      read(Wire.request(operation), kinds);
    }

    assertThat(kinds).hasSize(36 + 10).contains("CapacityRange", "VolumeSource", "Topology");
  }

  /** Reads all fields of the kind of this message, and of those in it. */
  private static void read(Message message, Set<String> kinds) {
    if (!kinds.add(message.getDescriptorForType().getName())) {
      return;
    }
    MessageRules rules = MessageRules.read(message);
    for (Field field : rules.fields()) {
      Message filled = filled(message, field.in());
      assertThat(field.value().read(filled)).as(field.name()).isEqualTo(value(filled, field));
      assertThat(field.isUnset(message)).as(field.name()).isEqualTo(field.in().hasPresence());
    }
    for (Choice choice : rules.choices()) {
      assertThat(choice.made(message)).isNull();
      for (Field field : choice.fields().values()) {
        assertThat(field.isUnset(message)).isTrue();
        Message.Builder made = message.toBuilder();
        made.setField(field.in(), made.newBuilderForField(field.in()).build());
        assertThat(choice.made(made.build())).isSameAs(field);
      }
    }
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
        read(message.toBuilder().newBuilderForField(field).build(), kinds);
      }
    }
  }

  /** The message with a value in this field alone, which no other of its fields has. */
  private static Message filled(Message message, FieldDescriptor field) {
    Message.Builder filled = message.toBuilder();
    Object value =
        switch (field.getJavaType()) {
          case STRING -> field.getName();
          case LONG -> 7L;
          case INT -> 7;
          case ENUM -> field.getEnumType().findValueByNumber(1);
          default -> filled.newBuilderForField(field).build();
        };
    return field.isRepeated()
        ? filled.addRepeatedField(field, value).build()
        : filled.setField(field, value).build();
  }

  private static Object value(Message message, Field field) {
    Object value = message.getField(field.in());
    return field.kind() == Kind.MAP
        ? SpecFields.map(message, field.in())
        : value instanceof EnumValueDescriptor it ? it.getNumber() : value;
  }

  @Test
  void aMessageThatWasNeverSeenIsRead() throws DescriptorValidationException {
    Descriptor unseen = unseen();

    // Answers are no requests, so no other test can have asked for this one.
    assertThat(told(MessageRules.of(GetPluginInfoResponse.getDefaultInstance())))
        .containsExactly("name NAME", "vendor_version TEXT", "manifest MAP");
    assertThat(CapabilityRules.needs(CsiOperation.PROBE, DynamicMessage.getDefaultInstance(unseen)))
        .isEmpty();
  }

  /** A message that no other test can have asked for. */
  private static Descriptor unseen() throws DescriptorValidationException {
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("unseen.proto")
            .addMessageType(
                DescriptorProto.newBuilder()
                    .setName("UnseenRequest")
                    .addField(
                        FieldDescriptorProto.newBuilder()
                            .setName("volume_id")
                            .setNumber(1)
                            .setType(FieldDescriptorProto.Type.TYPE_STRING)
                            .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)))
            .setSyntax("proto3")
            .build();
    return FileDescriptor.buildFrom(file, new FileDescriptor[0]).getMessageTypes().get(0);
  }

  @Test
  void theCapabilitiesInARequest() {
    assertThat(CapabilityRules.readCapabilities(NodePublishVolumeRequest.getDescriptor()))
        .extracting(FieldDescriptor::getName)
        .containsExactly("volume_capability");
    assertThat(CapabilityRules.readCapabilities(ValidateVolumeCapabilitiesRequest.getDescriptor()))
        .extracting(FieldDescriptor::getName)
        .containsExactly("volume_capabilities");
    assertThat(CapabilityRules.readCapabilities(NodeUnpublishVolumeRequest.getDescriptor()))
        .isEmpty();
  }

  private static List<String> told(MessageRules rules) {
    return rules.fields().stream().map(RuleTablesTest::told).toList();
  }

  private static String told(Field field) {
    List<String> words = new ArrayList<>(List.of(field.name(), field.kind().name()));
    if (field.required()) {
      words.add("required");
    }
    if (field.repeated()) {
      words.add("repeated");
    }
    if (field.presence() != null) {
      words.add("present");
    }
    if (field.context()) {
      words.add("context");
    }
    if (field.secret()) {
      words.add("secret");
    }
    if (field.topology()) {
      words.add("topology");
    }
    return String.join(" ", words);
  }
}
