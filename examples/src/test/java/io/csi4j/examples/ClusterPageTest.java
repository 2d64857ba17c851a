package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.cluster.grpc.ClusterEndpoint;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.store.TestCertificates;
import io.csi4j.volume.store.local.MemoryStore;
import io.csi4j.volume.workload.VolumeRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds docs/cluster.md to what really runs. */
class ClusterPageTest {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");
  private static final NodeName NODE = NodeName.of("n1");
  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web-1"));
  private static final VolumeUse JOB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("job-1"));

  private static final SelinuxLabel LABEL =
      SelinuxLabel.of("system_u:object_r:container_file_t:s0:c15,c25");

  @TempDir private Path temp;

  private TlsSettings tls(String name) {
    return TlsSettings.trusting(Pem.file(temp.resolve("ca.pem")))
        .showing(
            new TlsSettings.Certificate(
                Pem.file(temp.resolve(name + ".pem")), Pem.file(temp.resolve(name + ".key"))));
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PluginConfig.Builder config(FakeCsiPlugin plugin) {
    Path socket = plugin.nodeEndpoint(NodeId.of("n1")).path();
    return PluginConfig.builder(PLUGIN.value(), socket.getParent())
        .socketName(socket.getFileName().toString())
        .policy(MountPolicy.builder().requireMount(false).build());
  }

  @Test
  void aJobRunsOnANodeOfACluster() throws Exception {
    TestCertificates certificates = new TestCertificates(temp);
    certificates.authority("ca");
    certificates.certificate(
        "cp", "cp", "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n");
    certificates.certificate("n1", "n1", "subjectAltName=DNS:n1\nextendedKeyUsage=clientAuth\n");
    ClusterEndpoint endpoint = ClusterEndpoint.tcp("localhost", freePort());
    VolumeRequest request = ClusterSnippets.request(PLUGIN);
    try (FakeCsiPlugin plugin =
            FakeCsiPlugin.builder()
                .shape(PluginShape.full().with(Quirk.WORKLOAD_FACTS_TAKEN))
                .nodes(NodeId.of("n1"))
                .open();
        MemoryStore store = new MemoryStore()) {
      ClusterSnippets.controlPlane(
          PLUGIN,
          plugin.endpoint(),
          store,
          endpoint,
          tls("cp"),
          (cluster, at) ->
              ClusterSnippets.node(
                  NODE,
                  temp.resolve("node"),
                  config(plugin),
                  List.of(at),
                  tls("n1"),
                  agent -> {
                    agent.awaitPlugin(PLUGIN, Duration.ofSeconds(30));
                    VolumeRequest brought = ClusterSnippets.brought(request, WEB, LABEL);
                    assertThat(ClusterSnippets.acquired(cluster, WEB, brought)).isEqualTo(NODE);
                    ClusterSnippets.mounted(
                        agent, WEB, path -> assertThat(Files.exists(path)).isTrue());
                    ClusterSnippets.ended(cluster, agent, WEB);
                    assertThat(plugin.contents().idle()).isTrue();
                    WireMessage published =
                        plugin.journal().calls(CsiOperation.NODE_PUBLISH_VOLUME).get(0).request();
                    assertThat(published.map("volume_context"))
                        .containsEntry("csi.storage.k8s.io/serviceAccount.name", "web");
                    WireMessage mount = published.message("volume_capability").message("mount");
                    assertThat(mount.text("volume_mount_group")).isEqualTo("2000");
                    assertThat(mount.texts("mount_flags")).as("it takes no labels").isEmpty();
                    ClusterSnippets.drained(cluster, NODE);
                    assertThat(ClusterSnippets.acquired(cluster, JOB, request)).isEqualTo(NODE);
                    assertThat(ClusterSnippets.off(cluster, NODE))
                        .singleElement()
                        .satisfies(
                            released ->
                                assertThat(released.claim())
                                    .isEqualTo(new ClaimProgress.Gone(JOB)));
                    ClusterSnippets.forgotten(cluster, NODE);
                    assertThat(cluster.nodes().all().nodes()).isEmpty();
                  }));
      plugin.assertLawful();
    }
  }

  @Test
  void aJobRunsInATestWithoutRoot() throws Exception {
    VolumeRequest request = ClusterSnippets.request(PLUGIN);
    ClusterSnippets.inATest(
        PLUGIN,
        NODE,
        temp,
        (cluster, agent) -> {
          assertThat(ClusterSnippets.acquired(cluster, WEB, request)).isEqualTo(NODE);
          ClusterSnippets.mounted(agent, WEB, path -> assertThat(path).isEmptyDirectory());
          ClusterSnippets.ended(cluster, agent, WEB);
          assertThat(agent.manager().volumes()).isEmpty();
        });
  }

  @Test
  void aFileThatAWorkloadLeavesInATestKeepsItsVolume() throws Exception {
    VolumeRequest request = ClusterSnippets.request(PLUGIN);
    ClusterSnippets.inATest(
        PLUGIN,
        NODE,
        temp,
        (cluster, agent) -> {
          ClusterSnippets.acquired(cluster, WEB, request);
          Path file = agent.mount(WEB).path().resolve("left.txt");
          assertThatNoException().isThrownBy(() -> Files.createFile(file));

          VolumeException refused =
              catchThrowableOfType(VolumeException.class, () -> agent.release(WEB));

          assertThat(refused.code()).isEqualTo(OperatorCode.UNPUBLISH_IN_DOUBT);
          assertThat(refused)
              .hasMessageContaining(
                  "is a directory that is not empty. This plugin keeps no data, so the workload must"
                      + " delete its files. Try again");
          assertThatNoException().isThrownBy(() -> Files.delete(file));
          ClusterSnippets.ended(cluster, agent, WEB);
        });
  }
}
