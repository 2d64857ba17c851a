package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Attaches and detaches recorded volumes for the claim coordinator. */
record CatalogAttachments(
    Catalog catalog,
    Controllers controllers,
    ControllerCalls calls,
    PluginInstances instances,
    OperationReports reports)
    implements StorageController {

  private static final String NOT_ON_RECORD = "no volume with that name is recorded";
  private static final SortedSet<String> NO_KEYS = Collections.emptySortedSet();

  @Override
  public boolean attaches(VolumeKey volume) {
    Subject subject = Subject.of("claiming volume '" + volume + "'");
    CatalogEntry record =
        read(volume)
            .orElseThrow(
                () ->
                    new ClaimException(
                        ChangeOutcome.REFUSED,
                        Messages.of(OperatorCode.VOLUME_UNKNOWN, subject, NOT_ON_RECORD),
                        null));
    try {
      return Controllers.ended(controllers.attaches(record.spec().plugin(), subject));
    } catch (ControllerException unknown) {
      throw new ClaimException(ChangeOutcome.UNAVAILABLE, unknown.operatorMessage(), unknown);
    }
  }

  /** Returns the record of a volume, or fails with the failure that claims expect. */
  private Optional<CatalogEntry> read(VolumeKey volume) {
    try {
      return catalog.find(volume);
    } catch (ControllerException failed) {
      throw new ClaimException(failed.outcome(), failed.operatorMessage(), failed);
    }
  }

  @Override
  public Optional<Refused> whyNot(ClaimRequest request) {
    CatalogEntry record = read(request.usage().volume()).orElse(null);
    if (record == null) {
      return refused(OperatorCode.VOLUME_UNKNOWN, NOT_ON_RECORD);
    }
    if (record.state() instanceof State.Deleting) {
      return refused(OperatorCode.VOLUME_BEING_DELETED, "the volume is being deleted");
    }
    CatalogVolume volume = record.volume().orElse(null);
    if (volume == null) {
      return refused(OperatorCode.VOLUME_UNKNOWN, "it is still being created");
    }
    Claim.Use use = request.use();
    if (volume.capability(use.mode(), use.attachment()).isEmpty()) {
      return refused(OperatorCode.NOT_ALLOWED_HERE, notMadeFor(volume, use));
    }
    SortedSet<String> both =
        request.workloadFacts().map(facts -> facts.keysIn(volume.context())).orElse(NO_KEYS);
    if (!both.isEmpty()) {
      return refused(
          OperatorCode.NOT_ALLOWED_HERE,
          "the volume's context already has "
              + String.join(", ", both)
              + ", which the request passes as a fact of the workload");
    }
    PluginId plugin = volume.plugin();
    return instances.mayAttach(plugin)
        ? ControllerLinks.down(plugin, instances.registry().plugins())
            .flatMap(down -> refused(down.code(), "plugin '" + plugin + "': " + down.text()))
        : Optional.empty();
  }

  private static Optional<Refused> refused(OperatorCode code, String because) {
    return Optional.of(new Refused(code, Optional.empty(), new ReasonText(because)));
  }

  private static String notMadeFor(CatalogVolume volume, Claim.Use use) {
    return "it cannot be used as "
        + use
        + "; it may be used as "
        + volume.spec().capabilities().stream()
            .map(
                way ->
                    new Claim.Use(
                        way.accessMode(),
                        way.isBlock() ? AttachmentMode.BLOCK : AttachmentMode.FILESYSTEM))
            .map(Claim.Use::toString)
            .distinct()
            .collect(Collectors.joining(" or "));
  }

  @Override
  public Optional<MountOptions> options(ClaimRequest request) {
    return read(request.usage().volume())
        .flatMap(CatalogEntry::volume)
        .flatMap(it -> it.capability(request.use().mode(), request.use().attachment()))
        .map(own -> own.mountOptions().map(it -> it.overlaidWith(request.options())))
        .orElseGet(request::statedOptions)
        .map(stated -> labelled(request, grouped(request, stated)));
  }

  private static MountOptions grouped(ClaimRequest request, MountOptions stated) {
    return request.groupOffered() && stated.volumeMountGroup().isEmpty()
        ? request.groupIfOffered().map(stated::withVolumeMountGroup).orElse(stated)
        : stated;
  }

  private MountOptions labelled(ClaimRequest request, MountOptions stated) {
    Optional<SelinuxLabel> wish = request.selinuxLabel();
    return wish.isPresent()
            && stated.flags().flatMap(SelinuxLabel::in).isEmpty()
            && takesLabel(request.usage().volume())
        ? wish.get().addedTo(stated)
        : stated;
  }

  /**
   * Whether the host has configured that the plugin accepts labels: the plugin itself cannot report
   * that.
   */
  private boolean takesLabel(VolumeKey volume) {
    Optional<PluginId> plugin = plugin(volume);
    return instances.registry().plugins().stream()
        .map(RegisteredPlugin::registration)
        .filter(each -> plugin.filter(each.id()::equals).isPresent())
        .anyMatch(each -> each.binding().policy().takesSelinuxLabel());
  }

  @Override
  public AccessMode knownMode(VolumeKey volume, AccessMode mode) {
    return read(volume).filter(CatalogEntry::olderModes).isPresent()
        ? mode.withoutSingleNodeMultiWriter()
        : mode;
  }

  @Override
  public Optional<PluginId> plugin(VolumeKey volume) {
    return read(volume).map(record -> record.spec().plugin());
  }

  @Override
  public ControllerAnswer attach(AttachmentTask task, Guard guard) {
    CatalogEntry record;
    try {
      record = catalog.findToAttach(task.volume()).orElse(null);
    } catch (ControllerException notRead) {
      return failed(notRead);
    }
    CatalogVolume volume = record == null ? null : record.volume().orElse(null);
    if (record == null || volume == null) {
      return unknown(task, "is not recorded, or is being created, deleted or deregistered");
    }
    Optional<VolumeCapability> use = volume.capability(task.use().mode(), task.use().attachment());
    if (use.isEmpty()) {
      return failed(StatusCode.INVALID_ARGUMENT, notMadeFor(volume, task.use()));
    }
    VolumeCapability capability =
        task.options()
            .map(how -> VolumeCapability.mount(task.use().mode(), how))
            .orElseGet(use::get);
    VolumeIdentity identity = ControllerCalls.identity(volume);
    Subject subject = Subject.of("attaching", identity);
    SecretsProvider secrets = calls.secretsOf(volume.spec());
    return answer(
        Operation.ATTACH,
        task,
        guard,
        asked -> {
          ControllerFacts facts = controllers.abilities(volume.plugin(), subject);
          boolean readonly = task.readonly() && facts.offers(ControllerCapability.PUBLISH_READONLY);
          PublishContext context =
              controllers.answer(
                  asked.before(
                      ControllerCalls.publish(
                          identity,
                          new ControllerCalls.Attaching(
                              task.nodeId(),
                              ControllerCalls.known(capability, facts, record.olderModes()),
                              readonly,
                              volume.context()),
                          secrets)));
          return new ControllerAnswer.Attached(context);
        });
  }

  /** Also detaches a volume that is being deleted: only then can it be deleted. */
  @Override
  public ControllerAnswer detach(AttachmentTask task, Guard guard) {
    CatalogEntry record;
    try {
      catalog.refuseCopy(Subject.of("detaching volume '" + task.volume() + "'"));
      record = catalog.find(task.volume()).orElse(null);
    } catch (ControllerException notRead) {
      return failed(notRead);
    }
    VolumeId id = record == null ? null : record.id().orElse(null);
    if (record == null || id == null) {
      return unknown(task, "is not recorded, or is being created");
    }
    VolumeIdentity identity = new VolumeIdentity(record.spec().plugin(), id);
    SecretsProvider secrets = calls.secretsOf(record.spec());
    return answer(
        Operation.DETACH,
        task,
        guard,
        asked -> {
          controllers.answer(
              asked.before(ControllerCalls.unpublish(identity, task.nodeId(), secrets)));
          return new ControllerAnswer.Detached();
        });
  }

  /**
   * Does not detach a volume that another record has, too: its attachment may be for a claim of
   * that record.
   */
  @Override
  public ControllerAnswer detachUnclaimed(AttachmentTask task, Guard guard) {
    Optional<CatalogEntry> other;
    try {
      other = other(task.volume());
    } catch (ControllerException notRead) {
      return failed(notRead);
    }
    return other.isPresent()
        ? failed(
            StatusCode.FAILED_PRECONDITION,
            "volume '"
                + task.volume()
                + "' is also recorded as '"
                + other.get().key()
                + "', and may be attached for that record")
        : detach(task, () -> other(task.volume()).isEmpty() && guard.isWanted());
  }

  /** Another record of the same volume. */
  private Optional<CatalogEntry> other(VolumeKey key) {
    return catalog
        .find(key)
        .flatMap(record -> record.id().flatMap(id -> catalog.other(record, id)));
  }

  private ControllerAnswer answer(
      Operation kind, AttachmentTask task, Guard guard, Function<Asked, ControllerAnswer> work) {
    Asked asked = new Asked(guard, new AtomicReference<>());
    OperationReports.Running running =
        reports.begin(reports.asked(), kind, Optional.of(task.volume()));
    Optional<OperatorMessage> failure = Optional.empty();
    try {
      return work.apply(asked);
    } catch (ControllerException failed) {
      failure = Optional.of(failed.operatorMessage());
      RuntimeException unsaid = asked.unsaid().get();
      if (unsaid != null) {
        throw unsaid;
      }
      return failed.code() == OperatorCode.CONTROLLER_CALL_CANCELLED
          ? new ControllerAnswer.NotSent()
          : failed(failed);
    } finally {
      running.ended(failure);
    }
  }

  /**
   * A guard that is evaluated when the call's turn comes.
   *
   * @param unsaid the exception of the guard, if it failed
   */
  private record Asked(Guard guard, AtomicReference<@Nullable RuntimeException> unsaid) {

    <T> ControllerCall<T> before(ControllerCall<T> call) {
      return call.sentBy(
          (services, secrets) -> {
            boolean isWanted = false;
            try {
              isWanted = guard.isWanted();
            } catch (RuntimeException nobodyCanSay) {
              unsaid.set(nobodyCanSay);
            }
            if (!isWanted) {
              throw ControllerFailures.unavailable(
                  OperatorCode.CONTROLLER_CALL_CANCELLED, call.subject(), "it is no longer wanted");
            }
            return call.sending().send(services, secrets);
          });
    }
  }

  private static ControllerAnswer unknown(AttachmentTask task, String why) {
    return failed(StatusCode.INVALID_ARGUMENT, "volume '" + task.volume() + "' " + why);
  }

  private static ControllerAnswer failed(StatusCode code, String why) {
    return new ControllerAnswer.Failed(
        code, Outcome.SETTLED, new ReasonText(why), Optional.empty());
  }

  private static ControllerAnswer failed(ControllerException failed) {
    if (failed.getCause() instanceof CsiException answer) {
      return ControllerAnswer.Failed.of(answer.failure());
    }
    return new ControllerAnswer.Failed(
        StatusCode.UNAVAILABLE,
        failed.outcome() == ChangeOutcome.UNCERTAIN ? Outcome.UNCERTAIN : Outcome.SETTLED,
        new ReasonText(failed.operatorMessage().seen().text()),
        Optional.empty());
  }
}
