package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.etcd.EtcdLogin;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.controller.ControllerSettings;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.launch.ProcessPluginLauncher;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.workload.VolumeRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values that hosts make with builders: each part is set, read, compared and copied. */
class ValuesTest {

  /** Something else for each type of a part that has no next value. */
  private static final Map<Class<?>, Object> OTHER = new HashMap<>();

  static {
    OTHER.put(String.class, "1.4.0");
    OTHER.put(NodeId.class, NodeId.of("another"));
    OTHER.put(MountOptions.class, MountOptions.none().withFsType("xfs"));
    OTHER.put(VolumeContext.class, VolumeContext.of(Map.of("pool", "fast")));
    OTHER.put(PublishContext.class, PublishContext.of(Map.of("device", "/dev/sdb")));
    OTHER.put(PluginName.class, PluginName.of("ebs.csi.example"));
    OTHER.put(CapacityRange.class, CapacityRange.atLeast(16));
    OTHER.put(Collection.class, Set.of(Topology.of(Map.of("zone", "a"))));
    OTHER.put(EtcdLogin.class, EtcdLogin.of("csi4j", "hidden".toCharArray()));
    OTHER.put(MountFlagPolicy.class, MountFlagPolicy.forTenants());
    OTHER.put(VolumePermission.class, (VolumePermission) wish -> wish.readOnly());
    OTHER.put(
        WorkloadFacts.class,
        WorkloadFacts.of(VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"))));
    OTHER.put(SelinuxLabel.class, SelinuxLabel.of("system_u:object_r:container_file_t:s0:c15,c25"));
    OTHER.put(StoreIdentity.class, new StoreIdentity("etcd-1-2"));
    OTHER.put(TlsSettings.class, TlsSettings.trusting(Pem.file(Path.of("ca.pem"))));
    OTHER.put(
        ClaimGrant.class,
        new ClaimGrant(
            VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1")),
            NodeName.of("n1"),
            7,
            ClaimMode.WRITE,
            PublishContext.empty()));
  }

  static Stream<Object> values() {
    return Stream.of(
        CallPolicy.defaultFor(CsiOperation.NODE_STAGE_VOLUME),
        MountPolicy.defaults(),
        ManagerSettings.defaults(),
        NodeClaims.of(NodeName.of("n1"), (usage, epoch) -> new ClaimStanding.Current()),
        ControllerSettings.defaults(),
        ProcessPluginLauncher.Settings.defaults(),
        EtcdSettings.of(URI.create("https://etcd-1:2379")),
        ClaimRequest.builder(
                VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1")),
                NodeName.of("n1"),
                new Claim.Use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM),
                ClaimMode.WRITE)
            .nodeId(NodeId.of("i-1"))
            .build(),
        CatalogVolume.builder(
                VolumeKey.of("db"),
                VolumeSpec.builder(PluginId.of("plugin"))
                    .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
                    .build(),
                VolumeId.of("vol-7"))
            .build());
  }

  @Test
  void aRequestToMountIsACopyOfItsBuilderAndBeginsAnother() {
    MountRequest.Builder builder =
        MountRequest.builder(
                PluginId.of("plugin"),
                VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1")),
                VolumeId.of("vol-7"),
                AccessMode.MULTI_NODE_SINGLE_WRITER)
            .volumeOptions(MountOptions.none().withFsType("xfs"))
            .volumeContext(VolumeContext.of(Map.of("pool", "fast")))
            .claim(
                new ClaimGrant(
                    VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1")),
                    NodeName.of("n1"),
                    7,
                    ClaimMode.WRITE,
                    PublishContext.of(Map.of("device", "/dev/sdb"))));
    MountRequest request = builder.build();
    builder.readOnly(true);

    assertThat(request.readOnly()).isFalse();
    assertThat(request.toBuilder().build()).isEqualTo(request);
    assertThat(request.toBuilder().readOnly(true).build().readOnly()).isTrue();
    assertThat(request.toBuilder().readOnly(true).readOnly(false).build()).isEqualTo(request);
  }

  @Test
  void aRequestOfAWorkloadIsACopyOfItsBuilderAndBeginsAnother() {
    VolumeRequest.Builder builder =
        VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
            .accessMode("single-node-writer")
            .attachment("filesystem")
            .mountOptions(MountOptions.none().withFsType("xfs"))
            .perInstance(true)
            .instances(3);
    VolumeRequest request = builder.build();
    builder.readOnly(true);

    assertThat(request.readOnly()).isFalse();
    assertThat(request.toBuilder().build()).isEqualTo(request);
    assertThat(request.toBuilder().readOnly(true).build().readOnly()).isTrue();
    assertThat(request.toBuilder().readOnly(true).readOnly(false).build()).isEqualTo(request);
  }

  @Test
  void settingsOfAJournalAreACopyOfTheirBuilderAndBeginOthers() {
    JournalSettings.Builder builder =
        JournalSettings.builder().segmentSize(8192).ballastSize(0).stateExpected(true);
    JournalSettings settings = builder.build();
    builder.ballastSize(1);

    JournalSettings others =
        settings.toBuilder().acceptOtherHost(true).acceptAnyFilesystem(true).build();
    assertThat(others.segmentSize()).isEqualTo(8192);
    assertThat(others.ballastSize()).isZero();
    assertThat(others.stateExpected()).isTrue();
    assertThat(others.acceptOtherHost()).isTrue();
    assertThat(others.acceptAnyFilesystem()).isTrue();
    assertThat(settings.acceptOtherHost()).isFalse();
  }

  @Test
  void theConfigurationOfAPluginIsACopyOfItsBuilderAndBeginsAnother() {
    PluginConfig.Builder builder =
        PluginConfig.builder("hostpath", Path.of("/run/csi/hostpath"))
            .volumeRoot(Path.of("/var/lib/host/volumes"))
            .probeLimit(Duration.ofSeconds(1));
    PluginConfig config = builder.build();
    builder.probeLimit(Duration.ofSeconds(2));

    PluginConfig other = config.toBuilder().failuresToUnhealthy(9).build();
    assertThat(other.probeLimit()).isEqualTo(Duration.ofSeconds(1));
    assertThat(other.volumeRoot()).contains(Path.of("/var/lib/host/volumes"));
    assertThat(other.failuresToUnhealthy()).isEqualTo(9);
    assertThat(config.failuresToUnhealthy()).isEqualTo(3);
  }

  @ParameterizedTest
  @MethodSource("values")
  void eachPartIsSetAndReadAloneAndCompared(Object value) throws Exception {
    Map<String, Object> before = ValueParts.of(value);
    int changes = 0;
    for (Method setter : setters(value)) {
      String name = setter.getName();
      Object other = other(setter, before.get(name));
      Object builder = builder(value);
      setter.invoke(builder, other);
      Object changed = built(builder);

      Map<String, Object> after = ValueParts.of(changed);
      assertThat(plain(after.get(name))).as(name).isEqualTo(other);
      assertThat(after.keySet().stream().filter(part -> !after.get(part).equals(before.get(part))))
          .containsExactly(name);
      assertThat(changed).as(name).isNotEqualTo(value);
      assertThat(built(builder(changed)))
          .as(name)
          .isEqualTo(changed)
          .hasSameHashCodeAs(changed)
          .hasToString(changed.toString());
      changes++;
    }
    assertThat(changes).isGreaterThan(1);
  }

  @ParameterizedTest
  @MethodSource("values")
  void aBuilderThatGoesOnChangesNoValue(Object value) throws Exception {
    for (Method setter : setters(value)) {
      Object builder = builder(value);
      Object built = built(builder);
      setter.invoke(builder, other(setter, ValueParts.of(value).get(setter.getName())));
      assertThat(built).isEqualTo(value);
    }
  }

  private static List<Method> setters(Object value) throws ReflectiveOperationException {
    Class<?> builder = builder(value).getClass();
    Map<String, Object> parts = ValueParts.of(value);
    return Arrays.stream(builder.getMethods())
        .filter(method -> method.getReturnType() == builder && method.getParameterCount() == 1)
        .filter(method -> parts.containsKey(method.getName()))
        .toList();
  }

  private static Object builder(Object value) throws ReflectiveOperationException {
    return value.getClass().getMethod("toBuilder").invoke(value);
  }

  private static Object built(Object builder) throws ReflectiveOperationException {
    return builder.getClass().getMethod("build").invoke(builder);
  }

  private static Object plain(Object shown) {
    if (shown instanceof Optional<?> optional) {
      return optional.orElseThrow();
    }
    return shown instanceof OptionalLong number ? number.getAsLong() : shown;
  }

  private static Object other(Method setter, Object now) {
    Class<?> type = setter.getParameterTypes()[0];
    if (type == int.class) {
      return (int) now + 1;
    }
    if (type == long.class) {
      return 7L;
    }
    if (type == boolean.class) {
      return !(boolean) now;
    }
    if (type == Duration.class) {
      return now instanceof Duration time ? time.plusSeconds(1) : Duration.ofDays(1);
    }
    if (setter.getName().equals("prefix")) {
      return "/another/";
    }
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .filter(each -> !each.equals(now))
          .findFirst()
          .orElseThrow();
    }
    if (type == List.class) {
      return List.of(Topology.of(Map.of("zone", "a")));
    }
    if (type == UnaryOperator.class) {
      return (UnaryOperator<CallPolicy.Builder>) policy -> policy.attempts(1);
    }
    if (type == SecretsProvider.class) {
      return (SecretsProvider) operation -> Secrets.empty();
    }
    if (type == Sealer.class) {
      return Proxy.newProxyInstance(
          type.getClassLoader(),
          new Class<?>[] {type},
          (proxy, method, parameters) ->
              switch (method.getName()) {
                case "equals" -> proxy == parameters[0];
                case "hashCode" -> 1;
                default -> "sealer";
              });
    }
    return OTHER.get(type);
  }
}
