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
import java.util.List;
import java.util.function.UnaryOperator;
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
  void eachChangeOfAPolicyChangesOnePartOnly() {
    MountPolicy base = MountPolicy.defaults();
    List<MountPolicy> changed =
        List.of(
            base.withAttemptDeadline(SOME),
            base.withAttempts(9),
            base.withBackoff(SOME, base.backoffCap()),
            base.withBackoff(base.backoff(), SOME),
            base.withBackgroundCap(SOME),
            base.withQuarantine(SOME),
            base.withCallsInFlight(9),
            base.withRequireMount(false),
            base.withRequireStagingMount(true),
            base.withRequireDevice(false),
            base.withRefuseHostDisk(true));

    assertThat(changed).doesNotHaveDuplicates().doesNotContain(base);
    assertThat(changed.get(0).attemptDeadline()).isEqualTo(SOME);
    assertThat(changed.get(1).attempts()).isEqualTo(9);
    assertThat(changed.get(2).backoff()).isEqualTo(SOME);
    assertThat(changed.get(3).backoffCap()).isEqualTo(SOME);
    assertThat(changed.get(4).backgroundCap()).isEqualTo(SOME);
    assertThat(changed.get(5).quarantine()).isEqualTo(SOME);
    assertThat(changed.get(6).callsInFlight()).isEqualTo(9);
    assertThat(changed.get(7).requireMount()).isFalse();
    assertThat(changed.get(8).requireStagingMount()).isTrue();
    assertThat(changed.get(9).requireDevice()).isFalse();
    assertThat(changed.get(10).refuseHostDisk()).isTrue();
    List<MountPolicy> back =
        List.of(
            changed.get(0).withAttemptDeadline(base.attemptDeadline()),
            changed.get(1).withAttempts(base.attempts()),
            changed.get(2).withBackoff(base.backoff(), base.backoffCap()),
            changed.get(3).withBackoff(base.backoff(), base.backoffCap()),
            changed.get(4).withBackgroundCap(base.backgroundCap()),
            changed.get(5).withQuarantine(base.quarantine()),
            changed.get(6).withCallsInFlight(base.callsInFlight()),
            changed.get(7).withRequireMount(true),
            changed.get(8).withRequireStagingMount(false),
            changed.get(9).withRequireDevice(true),
            changed.get(10).withRefuseHostDisk(false));
    assertThat(back).containsOnly(base);
  }

  @Test
  void aPolicyThatMakesNoSenseIsRefused() {
    MountPolicy base = MountPolicy.defaults();
    Duration negative = Duration.ofNanos(-1);

    refused(() -> base.withAttemptDeadline(Duration.ZERO), "attempt deadline has to be positive");
    refused(() -> base.withBackoff(negative, SOME), "The back-off has to be positive");
    refused(() -> base.withBackoff(SOME, Duration.ZERO), "back-off cap has to be positive");
    refused(() -> base.withBackgroundCap(negative), "background cap has to be positive");
    refused(() -> base.withQuarantine(negative), "The quarantine is negative");
    assertThat(base.withQuarantine(Duration.ZERO).quarantine()).isZero();
    refused(() -> base.withAttempts(0), "At least one attempt");
    refused(() -> base.withCallsInFlight(0), "one call at a time");
  }

  @Test
  void eachChangeOfTheSettingsChangesOnePartOnly() {
    ManagerSettings base = ManagerSettings.defaults();
    List<UnaryOperator<ManagerSettings>> changes =
        List.of(
            each -> each.withPatience(SOME),
            each -> each.withWaiters(9),
            each -> each.withTombstones(SOME),
            each -> each.withClosing(SOME),
            each -> each.withThreads(9),
            each -> each.withEvents(9),
            each -> each.withSecretsLimit(SOME));

    assertThat(changes.stream().map(each -> each.apply(base)).toList())
        .containsExactly(
            new ManagerSettings(
                SOME,
                base.waiters(),
                base.tombstones(),
                base.closing(),
                base.threads(),
                base.events(),
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                9,
                base.tombstones(),
                base.closing(),
                base.threads(),
                base.events(),
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                base.waiters(),
                SOME,
                base.closing(),
                base.threads(),
                base.events(),
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                base.waiters(),
                base.tombstones(),
                SOME,
                base.threads(),
                base.events(),
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                base.waiters(),
                base.tombstones(),
                base.closing(),
                9,
                base.events(),
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                base.waiters(),
                base.tombstones(),
                base.closing(),
                base.threads(),
                9,
                base.secretsLimit()),
            new ManagerSettings(
                base.patience(),
                base.waiters(),
                base.tombstones(),
                base.closing(),
                base.threads(),
                base.events(),
                SOME));
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    ManagerSettings base = ManagerSettings.defaults();
    Duration negative = Duration.ofNanos(-1);

    refused(() -> base.withPatience(Duration.ZERO), "The patience has to be positive, not PT0S.");
    refused(() -> base.withPatience(negative), "The patience has to be positive");
    refused(() -> base.withSecretsLimit(Duration.ZERO), "The time for secrets has to be positive");
    refused(() -> base.withTombstones(negative), "A time is negative");
    refused(() -> base.withClosing(negative), "A time is negative");
    assertThat(base.withTombstones(Duration.ZERO).withClosing(Duration.ZERO).closing()).isZero();
    refused(() -> base.withWaiters(0), "At least one waiter, thread and event");
    refused(() -> base.withThreads(0), "At least one waiter, thread and event");
    refused(() -> base.withEvents(0), "At least one waiter, thread and event");
  }

  @Test
  void aBindingSaysWhereAPluginIsAndHowItIsTreated() {
    PluginId id = PluginId.of("plugin");
    CsiEndpoint endpoint = CsiEndpoint.of(Path.of("/run/csi.sock"));
    PluginBinding plain = PluginBinding.of(id, endpoint);
    MountPolicy policy = MountPolicy.defaults().withAttempts(1);
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
