package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.MountFlagPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.WantedUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a host may decide of a mount, and that nothing of a request is shown that may be secret. */
class HostTermsTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");

  private static Node with(VolumePermission permission) {
    return Node.builder().settings(ManagerSettings.builder().permission(permission).build()).open();
  }

  private static Node with(MountFlagPolicy policy) {
    return Node.builder().settings(ManagerSettings.builder().mountFlags(policy).build()).open();
  }

  private static MountRequest flagged(String... flags) {
    return Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER)
        .requestOptions(MountOptions.none().withFlags(MountFlags.of(flags)))
        .build();
  }

  private static VolumeException refused(Node node, MountRequest request, OperatorCode code) {
    VolumeException failure = node.mountFails(request);
    assertThat(failure.code()).isEqualTo(code);
    assertThat(failure.outcome()).isEqualTo(Outcome.REFUSED);
    return failure;
  }

  @Test
  void whoMayNotUseAVolumeIsRefusedBeforeAnythingIsDone() {
    List<VolumePermission.Request> wishes = new CopyOnWriteArrayList<>();
    try (Node node =
        with(
            wish -> {
              wishes.add(wish);
              return !wish.usage().workload().value().equals("thief");
            })) {
      node.volume("vol-1");

      VolumeException failure =
          refused(node, Node.single("vol-1", "thief"), OperatorCode.VOLUME_NOT_PERMITTED);

      assertThat(failure)
          .hasMessageContaining("CSI-514 VOLUME_NOT_PERMITTED: mounting volume 'vol-1'")
          .hasMessageContaining("for workload 'thief'")
          .hasMessageContaining("Name a permitted volume, or permit it in VolumePermission.");
      assertThat(wishes)
          .containsExactly(
              new VolumePermission.Request(
                  usage("vol-1", "thief"),
                  Optional.of(new VolumeIdentity(Node.PLUGIN, VOLUME)),
                  false));
      assertThat(node.calls()).isEmpty();
      assertThat(node.status(VOLUME)).isEmpty();
      assertThat(node.directories()).isEmpty();
      node.mount(Node.single("vol-1", "web"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aReleaseIsNeverAskedAboutAndWhatIsMountedStaysUntilThen() {
    AtomicBoolean permits = new AtomicBoolean(true);
    List<VolumePermission.Request> wishes = new CopyOnWriteArrayList<>();
    try (Node node =
        with(
            wish -> {
              wishes.add(wish);
              return permits.get();
            })) {
      node.volume("vol-1");
      node.mount(Node.single("vol-1", "web"));
      permits.set(false);

      refused(node, Node.single("vol-1", "web"), OperatorCode.VOLUME_NOT_PERMITTED);
      assertThat(node.mounted(node.targetPath("vol-1", "web"))).isTrue();
      node.restart();
      assertThat(wishes).hasSize(2);

      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
      assertThat(wishes).hasSize(2);
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aDecisionThatThrowsIsARefusal() {
    try (Node node =
        with(
            (VolumePermission)
                wish -> {
                  throw new IllegalStateException("no answer");
                })) {
      node.volume("vol-1");
      refused(node, Node.single("vol-1", "web"), OperatorCode.VOLUME_NOT_PERMITTED);
      assertThat(node.calls()).isEmpty();
    }
  }

  @Test
  void whoIsWantedAfterARebootIsAskedAboutAgain() {
    AtomicBoolean permits = new AtomicBoolean(true);
    try (Node node = with(wish -> permits.get())) {
      node.volume("vol-1");
      node.mount(Node.single("vol-1", "web"));
      node.reboot();
      node.volume("vol-1");
      permits.set(false);
      int before = node.calls().size();

      assertThat(node.reconcile(new WantedUse.Requested(Node.single("vol-1", "web"))).failed())
          .isOne();

      assertThat(node.calls()).hasSize(before);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"suid", "dev", "remount", "bind", "context=hidden", "noatime,suid"})
  void aFlagThatTheHostDeniesNeverReachesThePlugin(String flag) {
    try (Node node = with(MountFlagPolicy.forTenants())) {
      node.volume("vol-1");

      VolumeException failure =
          refused(node, flagged("noatime", flag), OperatorCode.MOUNT_FLAG_REFUSED);

      assertThat(failure)
          .hasMessageContaining("flag 2 of 2, '")
          .hasMessageNotContaining("hidden")
          .hasMessageContaining("is on the host's list of flags that are denied");
      assertThat(node.calls()).isEmpty();
      assertThat(node.status(VOLUME)).isEmpty();
    }
  }

  @Test
  void whatAPreflightTellsIsWhatAMountIsRefusedBy() {
    try (Node node = with(MountFlagPolicy.forTenants())) {
      node.volume("vol-1");
      assertThat(node.engine().refusal(flagged("suid")).map(OperatorMessage::code))
          .contains(OperatorCode.MOUNT_FLAG_REFUSED);
      assertThat(node.engine().refusal(flagged("noatime"))).isEmpty();
    }
  }

  @Test
  void whatEveryMountGetsIsSentWithEachCallAndHeldAgainstTheMountTable() {
    try (Node node = with(MountFlagPolicy.forTenants())) {
      node.volume("vol-1");

      // The fake mounts without the flags, which is noticed because they were sent.
      assertThat(refused(node, flagged("noatime"), OperatorCode.MOUNT_FLAGS_DIFFER))
          .hasMessageContaining("the mount flags nodev, nosuid were requested");

      for (var operation : List.of(NODE_STAGE_VOLUME, NODE_PUBLISH_VOLUME)) {
        assertThat(
                node.plugin()
                    .journal()
                    .calls(operation)
                    .get(0)
                    .request()
                    .message("volume_capability")
                    .message("mount")
                    .texts("mount_flags"))
            .containsExactly("noatime", "nosuid", "nodev");
      }
      assertThat(node.isClean()).isTrue();
    }
  }

  @Test
  void aClaimThatWasMadeWithoutThemIsRefusedByTheirNames() {
    try (Node node = with(MountFlagPolicy.forTenants())) {
      node.volume("vol-1");
      VolumeCapability claimed =
          VolumeCapability.mount(
              AccessMode.SINGLE_NODE_WRITER,
              MountOptions.none().withFlags(MountFlags.of("noatime", "nodev")));
      ClaimGrant grant =
          new ClaimGrant(
              usage("vol-1", "web"),
              NodeName.of("n1"),
              1,
              ClaimMode.WRITE,
              PublishContext.empty(),
              Optional.of(claimed),
              false);

      VolumeException failure =
          refused(
              node,
              Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).claim(grant).build(),
              OperatorCode.MOUNT_FLAG_REFUSED);

      assertThat(failure)
          .hasMessageContaining(
              "it was claimed without nosuid, which every mount gets here; the claim must have "
                  + "these options too");
      assertThat(node.calls()).isEmpty();
    }
  }

  @Test
  void noValueOfARequestStandsInAnyTextRecordOrFile() {
    String hidden = "f00dcafe-tenant";
    try (Node node = Node.open()) {
      node.plugin()
          .addVolume(
              VOLUME, CapacityRange.exactly(1L << 30), VolumeContext.of(Map.of("token", hidden)));
      MountRequest request =
          MountRequest.builder(
                  Node.PLUGIN, usage("vol-1", "web"), VOLUME, AccessMode.SINGLE_NODE_WRITER)
              .volumeContext(VolumeContext.of(Map.of("token", hidden)))
              .requestOptions(MountOptions.none().withFlags(MountFlags.of("password=" + hidden)))
              .secrets(SecretsProvider.always(Secrets.of(Map.of("key", hidden))))
              .build();
      node.mount(request);
      node.restart();
      node.mount(request);
      VolumeException other = node.mountFails(flagged("password=" + hidden + "2"));
      assertThat(other.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      MountRequest attached =
          request.toBuilder().publishContext(PublishContext.of(Map.of("chap", hidden))).build();
      assertThat(node.mountFails(attached).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(attached.toString()).doesNotContain(hidden);

      assertThat(node.texts()).hasSizeGreaterThan(10).noneMatch(text -> text.contains(hidden));
      assertThat(request.toString()).doesNotContain(hidden);
      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).isNotEmpty();
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aProviderThatGivesNullOrThrowsLeavesTheCallUnsent() {
    List<SecretsProvider> providers =
        List.of(
            operation -> null,
            operation -> {
              throw new IllegalStateException("hush");
            });
    for (SecretsProvider provider : providers) {
      try (Node node = Node.open()) {
        node.volume("vol-1");

        VolumeException failure =
            refused(
                node,
                Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER)
                    .secrets(provider)
                    .build(),
                OperatorCode.SECRETS_UNAVAILABLE);

        assertThat(failure).hasMessageNotContaining("hush");
        assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME)).isEmpty();
      }
    }
  }

  @Test
  void secretsThatChangeBetweenTwoCallsAreEachSentAndTheUseStaysTheSame() {
    AtomicReference<String> now = new AtomicReference<>("first");
    try (Node node = Node.open()) {
      node.volume("vol-1");
      SecretsProvider changing =
          operation -> Secrets.of(Map.of("token", now.getAndSet("changed-" + now.get())));
      MountRequest request =
          Node.request("vol-1", "web", AccessMode.SINGLE_NODE_WRITER).secrets(changing).build();
      node.mount(request);
      node.mount(request);

      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      assertThat(node.plugin().journal().calls(NODE_STAGE_VOLUME).get(0).request().map("secrets"))
          .isEqualTo(Map.of("token", "first"));
      assertThat(node.plugin().journal().calls(NODE_PUBLISH_VOLUME).get(0).request().map("secrets"))
          .isEqualTo(Map.of("token", "changed-first"));
      assertThat(node.users(VOLUME)).isEqualTo(Set.of(usage("vol-1", "web").workload()));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
