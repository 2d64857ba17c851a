package io.csi4j.volume.upkeep;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME_HEALTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What was changed on a storage system behind everybody's back is found: exactly that. */
class DriftCheckTest {

  private static final NodeId N1 = NodeId.of("n1");
  private static final NodeId N2 = NodeId.of("n2");
  private static final AccessMode MODE = AccessMode.MULTI_NODE_MULTI_WRITER;

  private final MemoryStore claims = new MemoryStore();
  private final Map<VolumeId, VolumeKey> volumes =
      new TreeMap<>((one, other) -> one.value().compareTo(other.value()));
  private FakeCsiPlugin fake;
  private CsiPlugin plugin;

  @AfterEach
  void close() {
    plugin.close();
    fake.close();
  }

  private DriftCheck open(PluginShape shape) {
    fake = FakeCsiPlugin.builder().shape(shape).nodes(N1, N2).open();
    plugin = CsiPlugin.connect(fake.endpoint());
    for (String name :
        List.of("well", "lost", "unclaimed", "sick", "doubted", "leaving", "moved")) {
      fake.addVolume(VolumeId.of(name));
      volumes.put(VolumeId.of(name), VolumeKey.of("key-" + name));
    }
    fake.addVolume(VolumeId.of("foreign"));
    attach("foreign", N2);
    attach("well", N1);
    claim(
        "well",
        N1,
        ClaimHolder.State.TAKEN,
        new ClaimHolder.Attachment.Attached(PublishContext.empty()));
    // Detached behind the back of its claim.
    attach("lost", N1);
    detach("lost", N1);
    claim(
        "lost",
        N1,
        ClaimHolder.State.TAKEN,
        new ClaimHolder.Attachment.Attached(PublishContext.empty()));
    // Attached behind everybody's back.
    attach("unclaimed", N2);
    // Attached to another node than the claim says.
    attach("moved", N2);
    claim(
        "moved",
        N1,
        ClaimHolder.State.UNPUBLISHING,
        new ClaimHolder.Attachment.Attached(PublishContext.empty()));
    fake.condition(VolumeId.of("sick"), new VolumeCondition(true, "one disk of two is gone"));
    // May be either, and are nobody's drift.
    claim("doubted", N2, ClaimHolder.State.TAKEN, new ClaimHolder.Attachment.InDoubt());
    claim(
        "leaving",
        N2,
        ClaimHolder.State.NODE_DETACHED,
        new ClaimHolder.Attachment.Attached(PublishContext.empty()));
    return new DriftCheck(CalledAttachments.of(plugin.controller()), claims);
  }

  private void attach(String volume, NodeId node) {
    assertThat(
            plugin
                .controller()
                .publishVolume(
                    ControllerPublishVolumeRequest.builder(
                            VolumeId.of(volume), node, VolumeCapability.mount(MODE))
                        .build()))
        .isNotNull();
  }

  private void detach(String volume, NodeId node) {
    plugin
        .controller()
        .unpublishVolume(
            ControllerUnpublishVolumeRequest.builder(VolumeId.of(volume), node).build());
  }

  private ClaimHolder claim(
      String volume, NodeId node, ClaimHolder.State state, ClaimHolder.Attachment attachment) {
    VolumeKey key = VolumeKey.of("key-" + volume);
    ClaimHolder holder =
        new ClaimHolder(
            WorkloadId.of("web"),
            NodeName.of(node.value()),
            Optional.of(node),
            ClaimMode.WRITE,
            state,
            StoredClaims.in(claims).claim(key).epoch() + 1,
            Instant.EPOCH,
            attachment);
    StoredClaims stored = StoredClaims.in(claims);
    Claim now = stored.claim(key).with(holder, new Claim.Use(MODE, AttachmentMode.FILESYSTEM));
    assertThat(stored.write(now).value()).contains(now);
    return holder;
  }

  private static List<String> words(List<Drift> findings) {
    return findings.stream()
        .map(
            drift -> drift.handle() + ": " + drift.message().code() + ": " + drift.message().seen())
        .toList();
  }

  private static final String LOST =
      "lost: ATTACHMENT_LOST: it is claimed by workload 'web' on node 'n1', but the storage system"
          + " does not report that node";
  private static final String MOVED_LOST =
      "moved: ATTACHMENT_LOST: it is claimed by workload 'web' on node 'n1', but the storage"
          + " system does not report that node";
  private static final String MOVED_UNKNOWN =
      "moved: ATTACHMENT_UNKNOWN: it is attached to the plugin's node 'n2', for which there is no"
          + " claim";
  private static final String SICK =
      "sick: VOLUME_ABNORMAL: the storage system says: DEGRADED (VolumeCondition): 'one disk of two"
          + " is gone'";
  private static final String UNCLAIMED =
      "unclaimed: ATTACHMENT_UNKNOWN: it is attached to the plugin's node 'n2', for which there is"
          + " no claim";

  @Test
  @Tag("T-03")
  void exactlyWhatWasChangedIsReported() {
    DriftCheck.Report report = open(PluginShape.full()).look(volumes);

    assertThat(words(report.findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, SICK, UNCLAIMED);
    assertThat(report.compared()).isEqualTo(7);
    assertThat(report.unseen()).isZero();
  }

  @Test
  void aClaimThatCannotBeReadIsToldAndKeepsNoOtherFromBeingCompared() {
    open(PluginShape.full());
    RecordStore damaged =
        new PassingStore(claims) {
          @Override
          public Optional<StoredRecord> read(RecordKey key) {
            if (key.equals(ClaimCodec.key(VolumeKey.of("key-moved")))) {
              throw new RecordStoreException(
                  RecordStoreException.Reason.UNREADABLE, "It is damaged.");
            }
            return super.read(key);
          }
        };
    DriftCheck check = new DriftCheck(CalledAttachments.of(plugin.controller()), damaged);

    DriftCheck.Report report = check.look(volumes);

    assertThat(words(report.findings()))
        .containsExactly(LOST, "moved: CLAIM_UNREADABLE: It is damaged", SICK, UNCLAIMED);
    assertThat(report.compared()).isEqualTo(6);
    assertThat(report.unseen()).isZero();
    assertThat(check.repair(report, new DriftCheck.Policy(true, true), new NoRepair())).isEmpty();
  }

  /** Would change nothing, and is asked only about what is not damaged. */
  private static final class NoRepair implements DriftCheck.Repair {
    @Override
    public boolean attachAgain(Drift.LostAttachment lost) {
      assertThat(lost.handle()).isNotEqualTo(VolumeId.of("moved"));
      return false;
    }

    @Override
    public boolean detach(Drift.UnknownAttachment unknown) {
      assertThat(unknown.handle()).isNotEqualTo(VolumeId.of("moved"));
      return false;
    }
  }

  @Test
  void aPluginThatListsNothingIsAskedVolumeByVolume() {
    DriftCheck check = open(PluginShape.full().without(ControllerCapability.LIST_VOLUMES));
    volumes.put(VolumeId.of("gone"), VolumeKey.of("key-gone"));

    DriftCheck.Report report = check.look(volumes);

    assertThat(words(report.findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, SICK, UNCLAIMED);
    assertThat(report.unseen()).isEqualTo(1);
  }

  static Stream<Arguments> pluginsThatAreAskedVolumeByVolume() {
    return Stream.of(
        Arguments.of(
            PluginShape.full().without(ControllerCapability.LIST_VOLUMES), CONTROLLER_GET_VOLUME),
        Arguments.of(
            PluginShape.full113()
                .without(
                    ControllerCapability.LIST_VOLUMES, ControllerCapability.LIST_VOLUME_HEALTH),
            CONTROLLER_GET_VOLUME_HEALTH));
  }

  @ParameterizedTest
  @MethodSource("pluginsThatAreAskedVolumeByVolume")
  void aVolumeThatCannotBeReadKeepsNoOtherFromBeingCompared(PluginShape shape, CsiOperation call) {
    DriftCheck check = open(shape);
    fake.inject(
        Fault.fail(StatusCode.INTERNAL, "broken"),
        When.calling(call).ofVolume(VolumeId.of("sick")));

    DriftCheck.Report report = check.look(volumes);

    assertThat(words(report.findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, UNCLAIMED);
    assertUnread(report, "sick");
    assertThat(report.compared()).isEqualTo(6);
    assertThat(report.unseen()).isEqualTo(1);
  }

  @Test
  void aVolumeThatCannotBeReadAgainKeepsNoOtherFromBeingComparedOrPutRight() {
    DriftCheck check = open(PluginShape.full());
    When reading = When.calling(CONTROLLER_GET_VOLUME).ofVolume(VolumeId.of("lost"));
    fake.inject(Fault.fail(StatusCode.INTERNAL, "broken"), reading);

    DriftCheck.Report report = check.look(volumes);

    assertThat(words(report.findings()))
        .containsExactly(MOVED_LOST, MOVED_UNKNOWN, SICK, UNCLAIMED);
    assertUnread(report, "lost");
    assertThat(report.compared()).isEqualTo(6);
    assertThat(report.unseen()).isEqualTo(1);

    fake.clearFaults();
    DriftCheck.Report whole = check.look(volumes);
    assertThat(whole.failures()).isEmpty();
    fake.inject(Fault.fail(StatusCode.INTERNAL, "broken"), reading);
    assertThat(words(check.repair(whole, new DriftCheck.Policy(true, true), new Repairing())))
        .containsExactly(MOVED_LOST, MOVED_UNKNOWN, UNCLAIMED);
  }

  @Test
  void aPluginThatGivesNoAnswerEndsTheLook() {
    DriftCheck check = open(PluginShape.full().without(ControllerCapability.LIST_VOLUMES));
    fake.inject(
        Fault.fail(StatusCode.UNAVAILABLE, "gone"),
        When.calling(CONTROLLER_GET_VOLUME).ofVolume(VolumeId.of("sick")));

    assertThatThrownBy(() -> check.look(volumes))
        .isInstanceOfSatisfying(
            ControllerException.class,
            failed -> assertThat(failed.status()).contains(StatusCode.UNAVAILABLE));
  }

  private static void assertUnread(DriftCheck.Report report, String volume) {
    assertThat(report.failures()).containsOnlyKeys(VolumeKey.of("key-" + volume));
    assertThat(report.failures().get(VolumeKey.of("key-" + volume))).hasMessageContaining("broken");
  }

  @Test
  void aPluginThatNamesNoNodesTellsOnlyOfConditions() {
    DriftCheck check =
        open(PluginShape.full().without(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES));

    assertThat(words(check.look(volumes).findings())).containsExactly(SICK);
  }

  static Stream<Arguments> pluginsThatTellHealthOnly() {
    PluginShape nothingElse =
        PluginShape.full113()
            .without(
                ControllerCapability.LIST_VOLUMES,
                ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES,
                ControllerCapability.GET_VOLUME);
    return Stream.of(
        Arguments.of("by a list", nothingElse, 1),
        Arguments.of(
            "volume by volume", nothingElse.without(ControllerCapability.LIST_VOLUME_HEALTH), 7));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pluginsThatTellHealthOnly")
  void aPluginThatTellsNothingButHealthTellsThat(String name, PluginShape shape, int compared) {
    DriftCheck.Report report = open(shape).look(volumes);

    assertThat(words(report.findings())).containsExactly(SICK);
    assertThat(report.compared()).isEqualTo(compared);
    assertThat(report.unseen()).isEqualTo(7 - compared);
  }

  @Test
  void aPluginOf113TellsTheSameAsOneOf112AndEachFaultIsAFinding() {
    DriftCheck check = open(PluginShape.full113());
    assertThat(words(check.look(volumes).findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, SICK, UNCLAIMED);

    fake.health(
        VolumeId.of("sick"),
        VolumeHealthEntry.of(9, HealthReason.of("Odd"), ""),
        VolumeHealthEntry.of(
            VolumeHealthEntry.Status.INACCESSIBLE, HealthReason.of("DiskFailing"), "no answer"));
    DriftCheck.Report report = check.look(volumes);
    String inaccessible =
        "sick: VOLUME_ABNORMAL: the storage system says: INACCESSIBLE (DiskFailing): 'no answer'";
    String odd = "sick: VOLUME_ABNORMAL: the storage system says: status 9 (Odd)";
    assertThat(words(report.findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, inaccessible, odd, UNCLAIMED);

    Repairing repair = new Repairing();
    assertThat(words(check.repair(report, new DriftCheck.Policy(true, true), repair)))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, UNCLAIMED);
    assertThat(words(check.look(volumes).findings())).containsExactly(inaccessible, odd);
  }

  @Test
  void aFaultThatIsGoneAtTheSecondLookIsNotReported() {
    open(PluginShape.full113());
    StoredAttachments real = CalledAttachments.of(plugin.controller());
    StoredAttachments healing =
        new StoredAttachments() {
          @Override
          public Set<ControllerCapability> offered() {
            return real.offered();
          }

          @Override
          public Iterable<VolumeEntry> list() {
            return real.list();
          }

          @Override
          public Optional<VolumeEntry> read(VolumeId volume) {
            return real.read(volume);
          }

          @Override
          public Iterable<VolumeHealthReport> listHealth() {
            List<VolumeHealthReport> all = new ArrayList<>();
            real.listHealth().forEach(all::add);
            fake.clearHealth();
            return all;
          }

          @Override
          public Optional<VolumeHealthReport> health(VolumeId volume) {
            return real.health(volume);
          }
        };

    assertThat(words(new DriftCheck(healing, claims).look(volumes).findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, UNCLAIMED);
  }

  @Test
  void attachmentsOfAHostThatKnowNoHealthCallsTellNoHealthOf113() {
    open(PluginShape.full113());
    StoredAttachments real = CalledAttachments.of(plugin.controller());
    StoredAttachments older =
        new StoredAttachments() {
          @Override
          public Set<ControllerCapability> offered() {
            return real.offered();
          }

          @Override
          public Iterable<VolumeEntry> list() {
            return real.list();
          }

          @Override
          public Optional<VolumeEntry> read(VolumeId volume) {
            return real.read(volume);
          }
        };

    assertThat(words(new DriftCheck(older, claims).look(volumes).findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, UNCLAIMED);
  }

  @Test
  void aClaimThatChangesBetweenTheTwoLooksIsNoDrift() {
    open(PluginShape.full());
    StoredAttachments real = CalledAttachments.of(plugin.controller());
    StoredAttachments busy =
        new StoredAttachments() {
          @Override
          public Set<ControllerCapability> offered() {
            return real.offered();
          }

          @Override
          public Iterable<VolumeEntry> list() {
            List<VolumeEntry> all = new ArrayList<>();
            real.list().forEach(all::add);
            // Claimed while the list was on its way.
            claim("unclaimed", N2, ClaimHolder.State.TAKEN, new ClaimHolder.Attachment.InDoubt());
            return all;
          }

          @Override
          public Optional<VolumeEntry> read(VolumeId volume) {
            if (volume.equals(VolumeId.of("lost"))) {
              attach("lost", N1);
            }
            return real.read(volume);
          }
        };

    assertThat(words(new DriftCheck(busy, claims).look(volumes).findings()))
        .containsExactly(MOVED_LOST, MOVED_UNKNOWN, SICK);
  }

  @Test
  void aClaimThatWasMadeAndGivenBackMeanwhileMakesAnOldAnswerWorthless() {
    open(PluginShape.full().without(ControllerCapability.GET_VOLUME));
    StoredAttachments real = CalledAttachments.of(plugin.controller());
    StoredAttachments slow =
        new StoredAttachments() {
          @Override
          public Set<ControllerCapability> offered() {
            return real.offered();
          }

          @Override
          public Iterable<VolumeEntry> list() {
            List<VolumeEntry> all = new ArrayList<>();
            real.list().forEach(all::add);
            claim("unclaimed", N2, ClaimHolder.State.TAKEN, new ClaimHolder.Attachment.InDoubt());
            StoredClaims stored = StoredClaims.in(claims);
            Claim made = stored.claim(VolumeKey.of("key-unclaimed"));
            assertThat(stored.write(made.without(WorkloadId.of("web"))).version()).isPositive();
            return all;
          }

          @Override
          public Optional<VolumeEntry> read(VolumeId volume) {
            throw new AssertionError("That is not offered.");
          }
        };

    assertThat(words(new DriftCheck(slow, claims).look(volumes).findings()))
        .containsExactly(LOST, MOVED_LOST, MOVED_UNKNOWN, SICK);
  }

  /** Does what it is asked, over the socket. */
  private final class Repairing implements DriftCheck.Repair {
    private final List<String> done = new ArrayList<>();

    @Override
    public boolean attachAgain(Drift.LostAttachment lost) {
      done.add("attach " + lost.handle());
      attach(lost.handle().value(), lost.holder().nodeId().orElseThrow());
      return true;
    }

    @Override
    public boolean detach(Drift.UnknownAttachment unknown) {
      done.add("detach " + unknown.handle());
      DriftCheckTest.this.detach(unknown.handle().value(), unknown.node());
      return true;
    }
  }

  @Test
  void onlyWhatThePolicyAllowsIsPutRightAndOnlyWhileItIsSo() {
    DriftCheck check = open(PluginShape.full());
    DriftCheck.Report report = check.look(volumes);
    Repairing repair = new Repairing();

    assertThat(check.repair(report, DriftCheck.Policy.reportOnly(), repair)).isEmpty();
    assertThat(repair.done).isEmpty();

    detach("unclaimed", N2);
    assertThat(words(check.repair(report, new DriftCheck.Policy(false, true), repair)))
        .containsExactly(MOVED_UNKNOWN);
    assertThat(words(check.repair(report, new DriftCheck.Policy(true, false), repair)))
        .containsExactly(LOST, MOVED_LOST);

    assertThat(repair.done).containsExactly("detach moved", "attach lost", "attach moved");
    assertThat(words(check.look(volumes).findings())).containsExactly(SICK);
  }
}
