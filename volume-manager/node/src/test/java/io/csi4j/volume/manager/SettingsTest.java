package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.ManagerSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Settings of the manager, policies and bindings of plugins. */
class SettingsTest {

  private static final Duration SOME = Duration.ofSeconds(7);

  private static void refused(ThrowingCallable change, String message) {
    assertThatThrownBy(change)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theDefaultsOfAPolicyAreThoseOfTheModel() {
    MountPolicy policy = MountPolicy.defaults();

    assertThat(policy.attemptDeadline()).isEqualTo(Duration.ofMinutes(2));
    assertThat(policy.attempts()).isEqualTo(3);
    assertThat(policy.backoff()).isEqualTo(Duration.ofMillis(100));
    assertThat(policy.requireMount()).isTrue();
    assertThat(policy.requireStagingMount()).isFalse();
    assertThat(policy.requireDevice()).isTrue();
  }

  @Test
  void aPolicyThatMakesNoSenseIsRefused() {
    Duration negative = Duration.ofNanos(-1);

    refused(
        () -> MountPolicy.builder().attemptDeadline(Duration.ZERO).build(),
        "attempt deadline has to be positive");
    refused(
        () -> MountPolicy.builder().backoff(negative).backoffCap(SOME).build(),
        "The back-off has to be positive");
    refused(
        () -> MountPolicy.builder().backoff(SOME).backoffCap(Duration.ZERO).build(),
        "back-off cap has to be positive");
    refused(
        () -> MountPolicy.builder().backgroundCap(negative).build(),
        "background cap has to be positive");
    refused(() -> MountPolicy.builder().quarantine(negative).build(), "The quarantine is negative");
    assertThat(MountPolicy.builder().quarantine(Duration.ZERO).build().quarantine()).isZero();
    refused(() -> MountPolicy.builder().attempts(0).build(), "At least one attempt");
    refused(() -> MountPolicy.builder().callsInFlight(0).build(), "one call at a time");
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    Duration negative = Duration.ofNanos(-1);

    refused(
        () -> ManagerSettings.builder().patience(Duration.ZERO).build(),
        "The patience has to be positive, not PT0S.");
    refused(
        () -> ManagerSettings.builder().patience(negative).build(),
        "The patience has to be positive");
    refused(
        () -> ManagerSettings.builder().secretsLimit(Duration.ZERO).build(),
        "The time for secrets has to be positive");
    refused(
        () -> ManagerSettings.builder().tombstones(negative).build(),
        "The time for tombstones is negative: PT-0.000000001S.");
    refused(
        () -> ManagerSettings.builder().closing(negative).build(),
        "The time for closing is negative: PT-0.000000001S.");
    assertThat(
            ManagerSettings.builder()
                .tombstones(Duration.ZERO)
                .closing(Duration.ZERO)
                .build()
                .closing())
        .isZero();
    refused(
        () -> ManagerSettings.builder().waiters(0).build(),
        "At least one waiter, thread and event");
    refused(
        () -> ManagerSettings.builder().threads(0).build(),
        "At least one waiter, thread and event");
    refused(
        () -> ManagerSettings.builder().events(0).build(), "At least one waiter, thread and event");
  }

  @Test
  void aBindingSaysWhereAPluginIsAndHowItIsTreated() {
    PluginId id = PluginId.of("plugin");
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of("/run/csi.sock"));
    PluginBinding plain = PluginBinding.of(id, endpoint);
    MountPolicy policy = MountPolicy.builder().attempts(1).build();
    ConnectOptions options = ConnectOptions.builder().wireLog(false).build();
    PluginBinding full =
        PluginBinding.builder(id, endpoint)
            .seesRootAt(PluginPath.of("/csi"))
            .policy(policy)
            .connectOptions(options)
            .build();

    assertThat(plain.id()).isEqualTo(id);
    assertThat(plain.endpoint()).isEqualTo(endpoint);
    assertThat(plain.seesRootAt()).isEmpty();
    assertThat(plain.policy()).isEqualTo(MountPolicy.defaults());
    assertThat(plain.connectOptions()).isSameAs(ConnectOptions.defaults());
    assertThat(plain).hasToString("PluginBinding[plugin at unix:///run/csi.sock]");
    assertThat(full.seesRootAt()).contains(PluginPath.of("/csi"));
    assertThat(full.policy()).isEqualTo(policy);
    assertThat(full.connectOptions()).isSameAs(options);
  }
}
