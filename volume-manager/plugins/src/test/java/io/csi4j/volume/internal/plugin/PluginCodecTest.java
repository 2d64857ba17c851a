package io.csi4j.volume.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.volume.internal.fields.CodecContract;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.plugin.proto.PluginProto;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.StateValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Records of plugins become bytes and come back; damage is refused. */
class PluginCodecTest implements CodecContract<PluginRecord> {

  private static final CsiEndpoint SOCKET = CsiEndpoint.of(Path.of("/run/csi/csi.sock"));
  private static final byte[] NEWER = new FieldWriter().text(4, "new").number(9, 7).bytes();

  private static PluginRecord plain() {
    return record(instance(plainRegistration(), Optional.empty()));
  }

  private static PluginRegistration plainRegistration() {
    return PluginRegistration.node(PluginBinding.of(Plugins.ID, SOCKET));
  }

  /** Two instances, with everything that can be said of one. */
  private static PluginRecord everything() {
    return new PluginRecord(
        Plugins.ID,
        List.of(
            instance(Plugins.everything(), Optional.of(Plugins.everythingSaid())),
            instance(
                new PluginRegistration(
                    PluginBinding.builder(Plugins.ID, SOCKET)
                        .policy(Plugins.everything().binding().policy())
                        .connectOptions(
                            ConnectOptions.builder().deadline(Duration.ofSeconds(8)).build())
                        .build(),
                    InstanceId.ONLY,
                    Set.of(PluginRole.CONTROLLER)),
                Optional.of(Plugins.fingerprint("")))),
        UnknownFields.of(NEWER));
  }

  private static PluginRecord.Instance instance(
      PluginRegistration registration, Optional<PluginFingerprint> said) {
    return new PluginRecord.Instance(registration, said);
  }

  private static byte[] golden() {
    String file = "plugin-v1.bin";
    try (InputStream in =
        Objects.requireNonNull(PluginCodecTest.class.getResourceAsStream(file), file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bindings with code of the host are compared by what is remembered of them. */
  @Override
  public void isSame(PluginRecord read, PluginRecord written) {
    assertThat(remembered(read)).isEqualTo(remembered(written));
  }

  private static List<Object> remembered(PluginRecord record) {
    List<Object> all = new ArrayList<>(List.of(record.id(), record.unknown()));
    for (PluginRecord.Instance each : record.instances()) {
      PluginBinding binding = each.registration().binding();
      all.addAll(
          List.of(
              each.registration().instance(),
              each.registration().roles(),
              binding.endpoint(),
              binding.seesRootAt(),
              binding.policy(),
              answers(binding.connectOptions()),
              each.fingerprint()));
    }
    return all;
  }

  @Override
  public List<PluginRecord> records() {
    PluginFingerprint said = Plugins.everythingSaid();
    PluginFingerprint nameless =
        new PluginFingerprint(
            said.name(),
            said.version(),
            said.plugin(),
            said.controller(),
            said.node().map(node -> unnamed(node.capabilities())),
            said.taken());
    PluginFingerprint able =
        new PluginFingerprint(
            said.name(),
            said.version(),
            new CapabilitySet<>(EnumSet.allOf(PluginCapability.class), Set.of()),
            Optional.of(new CapabilitySet<>(EnumSet.allOf(ControllerCapability.class), Set.of())),
            Optional.of(
                unnamed(new CapabilitySet<>(EnumSet.allOf(NodeCapability.class), Set.of()))),
            said.taken());
    MountPolicy extreme =
        MountPolicy.builder()
            .backgroundCap(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))
            .quarantine(Duration.ZERO)
            .callsInFlight(Integer.MAX_VALUE)
            .build();
    PluginBinding odd = PluginBinding.of(PluginId.of("é/../ plugin"), SOCKET);
    List<PluginRecord> records = new ArrayList<>(List.of(plain(), everything()));
    Stream.of(nameless, able)
        .map(each -> record(instance(plainRegistration(), Optional.of(each))))
        .forEach(records::add);
    Stream.concat(policies(), Stream.of(extreme))
        .map(policy -> PluginBinding.builder(Plugins.ID, SOCKET).policy(policy).build())
        .forEach(binding -> records.add(record(binding)));
    options()
        .map(options -> PluginBinding.builder(Plugins.ID, SOCKET).connectOptions(options).build())
        .forEach(binding -> records.add(record(binding)));
    records.add(record(odd));
    return records;
  }

  private static PluginFingerprint.NodeFacts unnamed(CapabilitySet<NodeCapability> capabilities) {
    return new PluginFingerprint.NodeFacts(
        Optional.empty(), OptionalLong.empty(), Optional.empty(), capabilities);
  }

  private static PluginRecord record(PluginBinding binding) {
    return record(instance(PluginRegistration.node(binding), Optional.empty()));
  }

  private static PluginRecord record(PluginRecord.Instance instance) {
    return new PluginRecord(
        instance.registration().binding().id(), List.of(instance), UnknownFields.NONE);
  }

  @Override
  public List<byte[]> samples() {
    return List.of(golden());
  }

  @Override
  public byte[] encode(PluginRecord record) {
    return PluginCodec.encode(record).bytes();
  }

  @Override
  public PluginRecord decode(byte[] bytes) throws MalformedRecordException {
    return PluginCodec.decode(StateValue.of(bytes));
  }

  @Override
  public int formats() {
    return 1;
  }

  /** Each setting that a builder has, set to what it can be; found by looking. */
  private static <B> Stream<B> eachSetting(Class<B> type, Supplier<B> builder) {
    return Arrays.stream(type.getMethods())
        .filter(setter -> setter.getReturnType().equals(type))
        .filter(setter -> setter.getParameterCount() == 1)
        .flatMap(
            setter ->
                values(setter.getParameterTypes()[0])
                    .map(value -> type.cast(set(setter, builder.get(), value))));
  }

  private static Stream<?> values(Class<?> type) {
    if (type.equals(boolean.class)) {
      return Stream.of(true, false);
    } else if (type.equals(int.class)) {
      return Stream.of(7, 100);
    } else if (type.equals(Duration.class)) {
      return Stream.of(Duration.ofSeconds(7, 1), Duration.ofMinutes(1));
    } else if (type.equals(PluginName.class)) {
      return Stream.of(PluginName.of("ebs.csi.example"));
    }
    // Code of the host has no place in a record.
    assertThat(type.isEnum() || type.isInterface()).as(type.getName()).isTrue();
    return type.isEnum() ? Stream.of(type.getEnumConstants()) : Stream.empty();
  }

  private static Object set(Method setter, Object builder, Object value) {
    try {
      return setter.invoke(builder, value);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(setter.getName() + "(" + value + ")", e);
    }
  }

  private static Stream<MountPolicy> policies() {
    return eachSetting(MountPolicy.Builder.class, MountPolicy::builder)
        .map(MountPolicy.Builder::build);
  }

  private static Stream<ConnectOptions> options() {
    return eachSetting(ConnectOptions.Builder.class, ConnectOptions::builder)
        .map(ConnectOptions.Builder::build);
  }

  /** What it says of itself, by its methods, but for the threads of the host. */
  private static Map<String, Object> answers(ConnectOptions options) {
    Map<String, Object> all = new TreeMap<>();
    for (Method question : ConnectOptions.class.getDeclaredMethods()) {
      boolean isValue =
          question.getParameterCount() == 0
              && Modifier.isPublic(question.getModifiers())
              && !Modifier.isStatic(question.getModifiers())
              && !question.getName().startsWith("callback")
              && !question.getName().equals("toBuilder")
              && !question.getName().equals("hashCode");
      if (isValue) {
        try {
          all.put(question.getName(), question.invoke(options));
        } catch (ReflectiveOperationException e) {
          throw new LinkageError(question.getName(), e);
        }
      }
    }
    assertThat(all).containsKeys("wireLog", "closeTimeout", "requiredPeerUid");
    return all;
  }

  @Test
  void whatIsMeantAnywayIsNotWritten() throws Exception {
    PluginProto.Plugin.Builder record =
        PluginProto.Plugin.parseFrom(PluginCodec.encode(plain()).bytes()).toBuilder();
    record.getInstanceBuilder(0).getPolicyBuilder().setRetryBudget(100);

    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decode(record.build().toByteArray()))
        .withMessage("A default value is written: 100.");
    record.getInstanceBuilder(0).getPolicyBuilder().setRetryBudget(101);
    assertThat(
            decode(record.build().toByteArray())
                .instances()
                .get(0)
                .registration()
                .binding()
                .policy()
                .retryBudget())
        .isEqualTo(101);
  }

  @Test
  void isReadAndWrittenAsItAlwaysWas() throws MalformedRecordException {
    isSame(decode(golden()), everything());
    assertThat(PluginCodec.encode(everything()).bytes()).isEqualTo(golden());
  }

  @Test
  void whatCannotBeIsRefusedAndNotShown() {
    refused(new FieldWriter().number(1, 1).text(2, "p"), "There is no instance.");
    refused(new FieldWriter().number(1, 1).text(2, "p\nq"), "The plugin id is not valid.");
    byte[] bytes = PluginCodec.encode(plain()).bytes();
    int head = new FieldWriter().number(1, 1).text(2, Plugins.ID.value()).bytes().length;
    byte[] instance = Arrays.copyOfRange(bytes, head, bytes.length);
    refused(new FieldWriter().fields(bytes).fields(instance), "An instance is there twice.");
    refused(changed("/run/csi/csi.sock", "run//csi/csi.sock"), "The instance is not valid.");
    refused(changed("/run/csi/csi.sock", "/run//csi/cs.sock"), "The socket is not a valid path.");
    refused(changed(everything(), "Rack", "zone"), "A label of the topology is listed twice.");
  }

  @Test
  void aDeadlineThatWouldBeReadAsAShorterOneIsRefused() throws Exception {
    PluginProto.Plugin.Builder record =
        PluginProto.Plugin.parseFrom(PluginCodec.encode(plain()).bytes()).toBuilder();
    record
        .getInstanceBuilder(0)
        .getConnectingBuilder()
        .getDeadlineBuilder()
        .setSeconds(Duration.ofDays(36_501).toSeconds());

    refused(
        new FieldWriter().fields(record.build().toByteArray()),
        "The deadline is longer than the maximum.");
  }

  private static FieldWriter changed(String before, String after) {
    return changed(plain(), before, after);
  }

  private static FieldWriter changed(PluginRecord record, String before, String after) {
    byte[] bytes = PluginCodec.encode(record).bytes();
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return new FieldWriter()
        .fields(text.replace(before, after).getBytes(StandardCharsets.ISO_8859_1));
  }

  private void refused(FieldWriter bytes, String message) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decode(bytes.bytes()))
        .withMessage(message);
  }
}
