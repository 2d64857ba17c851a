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
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.plugin.proto.PluginProto;
import io.csi4j.volume.model.DeadUnmount;
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
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is remembered of plugins becomes bytes and comes back; damage is refused, never believed.
 */
class PluginCodecTest {

  private static final byte[] NEWER = new FieldWriter().text(4, "new").number(9, 7).bytes();

  private static PluginRecord plain() {
    return new PluginRecord(
        Plugins.ID, List.of(instance(plainRegistration(), Optional.empty())), UnknownFields.NONE);
  }

  private static PluginRegistration plainRegistration() {
    return PluginRegistration.node(
        PluginBinding.of(Plugins.ID, CsiEndpoint.of(Path.of("/run/csi/csi.sock"))));
  }

  /** Two instances, with everything that can be said of one. */
  private static PluginRecord everything() {
    return new PluginRecord(
        Plugins.ID,
        List.of(
            instance(Plugins.everything(), Optional.of(Plugins.everythingSaid())),
            instance(
                new PluginRegistration(
                    PluginBinding.builder(Plugins.ID, CsiEndpoint.of(Path.of("/run/csi/csi.sock")))
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

  private static PluginRecord decoded(byte[] bytes) throws MalformedRecordException {
    return PluginCodec.decode(StateValue.of(bytes));
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

  /** Two bindings that are written in the same way are alike in all that is remembered. */
  private static void alike(PluginRecord one, PluginRecord other) {
    assertThat(one.id()).isEqualTo(other.id());
    assertThat(one.unknown()).isEqualTo(other.unknown());
    assertThat(one.instances()).hasSameSizeAs(other.instances());
    for (int i = 0; i < one.instances().size(); i++) {
      PluginRegistration a = one.instances().get(i).registration();
      PluginRegistration b = other.instances().get(i).registration();
      assertThat(a.instance()).isEqualTo(b.instance());
      assertThat(a.roles()).isEqualTo(b.roles());
      assertThat(a.binding().endpoint()).isEqualTo(b.binding().endpoint());
      assertThat(a.binding().seesRootAt()).isEqualTo(b.binding().seesRootAt());
      assertThat(a.binding().policy()).isEqualTo(b.binding().policy());
      assertThat(one.instances().get(i).fingerprint())
          .isEqualTo(other.instances().get(i).fingerprint());
    }
  }

  @Test
  void everythingComesBackAsItWasWritten() throws MalformedRecordException {
    PluginRecord read = PluginCodec.decode(PluginCodec.encode(everything()));

    alike(read, everything());
    assertThat(PluginCodec.encode(read)).isEqualTo(PluginCodec.encode(everything()));
    alike(PluginCodec.decode(PluginCodec.encode(plain())), plain());
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

  static Stream<MountPolicy> policies() {
    return eachSetting(MountPolicy.Builder.class, MountPolicy::builder)
        .map(MountPolicy.Builder::build);
  }

  static Stream<ConnectOptions> options() {
    return eachSetting(ConnectOptions.Builder.class, ConnectOptions::builder)
        .map(ConnectOptions.Builder::build);
  }

  private static PluginBinding read(UnaryOperator<PluginBinding.Builder> with)
      throws MalformedRecordException {
    PluginBinding binding =
        with.apply(PluginBinding.builder(Plugins.ID, CsiEndpoint.of(Path.of("/run/csi/csi.sock"))))
            .build();
    PluginRecord record =
        new PluginRecord(
            Plugins.ID,
            List.of(instance(PluginRegistration.node(binding), Optional.empty())),
            UnknownFields.NONE);
    return PluginCodec.decode(PluginCodec.encode(record))
        .instances()
        .get(0)
        .registration()
        .binding();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void eachSettingOfAPolicyComesBack(MountPolicy policy) throws MalformedRecordException {
    assertThat(read(with -> with.policy(policy)).policy()).isEqualTo(policy);
  }

  @ParameterizedTest
  @MethodSource("options")
  void eachOptionOfAConnectionComesBack(ConnectOptions options) throws MalformedRecordException {
    ConnectOptions read = read(with -> with.connectOptions(options)).connectOptions();

    assertThat(answers(read)).isEqualTo(answers(options));
  }

  /** What it says of itself, by its methods. */
  private static Map<String, Object> answers(ConnectOptions options) {
    Map<String, Object> all = new TreeMap<>();
    for (Method question : ConnectOptions.class.getDeclaredMethods()) {
      boolean isValue =
          question.getParameterCount() == 0
              && Modifier.isPublic(question.getModifiers())
              && !Modifier.isStatic(question.getModifiers())
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
        .isThrownBy(() -> decoded(record.build().toByteArray()))
        .withMessage("What is meant anyway is written: 100.");
    record.getInstanceBuilder(0).getPolicyBuilder().setRetryBudget(101);
    assertThat(
            decoded(record.build().toByteArray())
                .instances()
                .get(0)
                .registration()
                .binding()
                .policy()
                .retryBudget())
        .isEqualTo(101);
  }

  @Test
  void aNodeThatDidNotSayWhichItIsComesBackSo() throws MalformedRecordException {
    PluginFingerprint said = Plugins.everythingSaid();
    PluginFingerprint without =
        new PluginFingerprint(
            said.name(),
            said.version(),
            said.plugin(),
            said.controller(),
            said.node()
                .map(
                    node ->
                        new PluginFingerprint.NodeFacts(
                            Optional.empty(),
                            OptionalLong.empty(),
                            Optional.empty(),
                            node.capabilities())),
            said.taken());
    PluginRecord record =
        new PluginRecord(
            Plugins.ID,
            List.of(instance(plainRegistration(), Optional.of(without))),
            UnknownFields.NONE);

    alike(PluginCodec.decode(PluginCodec.encode(record)), record);
  }

  @Test
  void whoMayListenIsRememberedWithTheSocket() throws MalformedRecordException {
    ConnectOptions options =
        PluginCodec.decode(PluginCodec.encode(everything()))
            .instances()
            .get(0)
            .registration()
            .binding()
            .connectOptions();

    assertThat(options.requiredPeerUid()).hasValue(1000);
    assertThat(options.requiredName().orElseThrow().value()).isEqualTo("ebs.csi.example");
    assertThat(options.deadline()).isEqualTo(Duration.ofMillis(4500));
    assertThat(options.requireReady()).isFalse();
    assertThat(options.allowSymlink()).isTrue();
    assertThat(options.allowUnsafeDirectory()).isTrue();
    assertThat(options.transport().name()).isEqualTo("JDK");
  }

  @Test
  void everyLengthOfTimeOfAPolicyComesBack() throws MalformedRecordException {
    MountPolicy policy =
        MountPolicy.builder()
            .backgroundCap(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))
            .quarantine(Duration.ZERO)
            .callsInFlight(Integer.MAX_VALUE)
            .build();
    PluginBinding binding =
        PluginBinding.builder(Plugins.ID, CsiEndpoint.of(Path.of("/s"))).policy(policy).build();
    PluginRecord record =
        new PluginRecord(
            Plugins.ID,
            List.of(instance(PluginRegistration.node(binding), Optional.empty())),
            UnknownFields.NONE);

    alike(PluginCodec.decode(PluginCodec.encode(record)), record);
  }

  @ParameterizedTest
  @EnumSource(DeadUnmount.class)
  void howFarADeadMountIsUnmountedComesBack(DeadUnmount how) throws MalformedRecordException {
    PluginBinding binding =
        PluginBinding.builder(Plugins.ID, CsiEndpoint.of(Path.of("/s")))
            .policy(MountPolicy.builder().unmountDead(how).build())
            .build();
    PluginRecord record =
        new PluginRecord(
            Plugins.ID,
            List.of(instance(PluginRegistration.node(binding), Optional.empty())),
            UnknownFields.NONE);

    alike(PluginCodec.decode(PluginCodec.encode(record)), record);
  }

  @Test
  void everyCapabilityComesBack() throws MalformedRecordException {
    PluginFingerprint said = Plugins.everythingSaid();
    PluginFingerprint newest =
        new PluginFingerprint(
            said.name(),
            said.version(),
            new CapabilitySet<>(EnumSet.allOf(PluginCapability.class), Set.of()),
            Optional.of(new CapabilitySet<>(EnumSet.allOf(ControllerCapability.class), Set.of())),
            Optional.of(
                new PluginFingerprint.NodeFacts(
                    Optional.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    new CapabilitySet<>(EnumSet.allOf(NodeCapability.class), Set.of()))),
            said.taken());
    PluginBinding binding =
        PluginBinding.builder(Plugins.ID, CsiEndpoint.of(Path.of("/s"))).build();
    PluginRecord record =
        new PluginRecord(
            Plugins.ID,
            List.of(instance(PluginRegistration.node(binding), Optional.of(newest))),
            UnknownFields.NONE);

    alike(PluginCodec.decode(PluginCodec.encode(record)), record);
  }

  @Test
  void isReadAndWrittenAsItAlwaysWas() throws MalformedRecordException {
    alike(decoded(golden()), everything());
    assertThat(PluginCodec.encode(everything()).bytes()).isEqualTo(golden());
  }

  @Test
  void whatANewerVersionWroteIsKept() throws MalformedRecordException {
    byte[] bytes = PluginCodec.encode(plain()).bytes();

    PluginRecord read = decoded(new FieldWriter().fields(bytes).fields(NEWER).bytes());

    assertThat(read.unknown()).isEqualTo(UnknownFields.of(NEWER));
    assertThat(PluginCodec.encode(read).bytes())
        .isEqualTo(new FieldWriter().fields(bytes).fields(NEWER).bytes());
  }

  @Test
  void aNewerFormatIsRefusedByItsNumber() {
    refused(
        new FieldWriter().number(1, 2).text(2, "p"),
        "It has format 2, and this version reads format 1.");
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
    refused(
        changed("/run/csi/csi.sock", "/run//csi/cs.sock"),
        "The socket is not written as a path is.");
    refused(changed(everything(), "Rack", "zone"), "A label of the topology is there twice.");
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
        "The deadline is longer than any is kept.");
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

  private static void refused(FieldWriter bytes, String message) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> decoded(bytes.bytes()))
        .withMessage(message);
  }

  @Test
  void cutOffAnywhereItIsRefusedOrAnotherRecord() {
    byte[] whole = golden();
    for (int length = 0; length < whole.length; length++) {
      nothingButRefusal(Arrays.copyOf(whole, length));
    }
  }

  @Test
  void withAnyBitFlippedItIsRefusedOrAnotherRecord() {
    byte[] whole = golden();
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      nothingButRefusal(flipped);
    }
  }

  @Test
  void randomBytesNeverDoAnythingButBeRefused() {
    Random random = new Random(6);
    byte[] begin = golden();
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(begin, random.nextInt(begin.length + 50));
      for (int changes = 1 + random.nextInt(8); changes > 0 && bytes.length > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      nothingButRefusal(bytes);
    }
  }

  /** What can be read is written in the same way again, so it is never taken for the whole. */
  private static void nothingButRefusal(byte[] bytes) {
    try {
      assertThat(PluginCodec.encode(decoded(bytes)).bytes()).isEqualTo(bytes);
    } catch (MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void aPluginsNameMayBeAnyText() throws MalformedRecordException {
    PluginId odd = PluginId.of("é/../ plugin");
    PluginBinding binding = PluginBinding.of(odd, CsiEndpoint.of(Path.of("/s")));
    PluginRecord record =
        new PluginRecord(
            odd,
            List.of(instance(PluginRegistration.node(binding), Optional.empty())),
            UnknownFields.NONE);

    alike(PluginCodec.decode(PluginCodec.encode(record)), record);
  }
}
