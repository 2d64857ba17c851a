package io.csi4j.volume.internal.plugin;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PluginPath;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.TimeCodec;
import io.csi4j.volume.model.DeadUnmount;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The form of what is remembered of plugins, in the way of {@code RecordCodec}.
 *
 * <pre>
 * plugin      1 format  2 id  3 instance...  4... newer fields
 * instance    1 name  2 node  3 controller  4 socket  5 where it sees the root  6 policy
 *             7 connecting  8 fingerprint
 * policy      1 attempt deadline  2 attempts  3 back-off  4 its cap  5 background cap
 *             6 quarantine  7 calls  8 mount  9 staging mount  10 device  11 dead mounts
 *             12 refusals
 * connecting  1 deadline  2 not ready, too  3 transport  4 symlink  5 unsafe directory
 *             6 user of the peer and one  7 name
 * time        1 seconds  2 nanoseconds
 * </pre>
 *
 * Who is told of calls, and what else of the options cannot be written, comes back with the
 * registration. A new field in a part needs a new format.
 */
public final class PluginCodec {

  private static final int FORMAT = 1;

  private PluginCodec() {}

  /** The bytes of a plugin. */
  public static StateValue encode(PluginRecord plugin) {
    FieldWriter out = new FieldWriter().number(1, FORMAT).text(2, plugin.id().value());
    plugin.instances().forEach(instance -> out.part(3, instance(instance)));
    return StateValue.of(out.fields(plugin.unknown().bytes()).bytes());
  }

  /** The plugin in these bytes. */
  public static PluginRecord decode(StateValue value) throws MalformedRecordException {
    FieldReader in = new FieldReader(value.bytes());
    in.format(1);
    String name = in.text(2);
    PluginId id = FieldReader.checked("plugin id", () -> PluginId.of(name));
    List<PluginRecord.Instance> instances = new ArrayList<>();
    Set<InstanceId> seen = new HashSet<>();
    for (Optional<FieldReader> part = in.part(3); part.isPresent(); part = in.part(3)) {
      PluginRecord.Instance instance = instance(id, part.get());
      if (!seen.add(instance.registration().instance())) {
        throw new MalformedRecordException("An instance is there twice.");
      }
      instances.add(instance);
    }
    if (instances.isEmpty()) {
      throw new MalformedRecordException("There is no instance.");
    }
    return new PluginRecord(id, instances, in.rest(3));
  }

  // ---- writing

  private static FieldWriter instance(PluginRecord.Instance instance) {
    PluginRegistration registration = instance.registration();
    PluginBinding binding = registration.binding();
    FieldWriter out =
        new FieldWriter()
            .text(1, registration.instance().value())
            .flag(2, registration.roles().contains(PluginRole.NODE))
            .flag(3, registration.roles().contains(PluginRole.CONTROLLER))
            .text(4, binding.endpoint().path().toString())
            .text(5, binding.seesRootAt().map(PluginPath::value).orElse(""))
            .part(6, policy(binding.policy()))
            .part(7, connecting(binding.connectOptions()));
    instance.fingerprint().ifPresent(said -> out.part(8, FingerprintCodec.encode(said)));
    return out;
  }

  private static FieldWriter policy(MountPolicy policy) {
    return new FieldWriter()
        .part(1, TimeCodec.encode(policy.attemptDeadline()))
        .number(2, policy.attempts())
        .part(3, TimeCodec.encode(policy.backoff()))
        .part(4, TimeCodec.encode(policy.backoffCap()))
        .part(5, TimeCodec.encode(policy.backgroundCap()))
        .part(6, TimeCodec.encode(policy.quarantine()))
        .number(7, policy.callsInFlight())
        .flag(8, policy.requireMount())
        .flag(9, policy.requireStagingMount())
        .flag(10, policy.requireDevice())
        .number(11, number(policy.onDeadMount()))
        .number(12, policy.forceAfterRefusals())
        .number(13, number(policy.unmountDead()))
        .flag(14, !policy.releaseUnconfirmed())
        .flag(15, policy.refuseHostDisk());
  }

  private static FieldWriter connecting(ConnectOptions options) {
    OptionalInt uid = options.requiredPeerUid();
    return new FieldWriter()
        .part(1, TimeCodec.encode(options.deadline()))
        .flag(2, !options.requireReady())
        .number(3, number(options.transport()))
        .flag(4, options.allowSymlink())
        .flag(5, options.allowUnsafeDirectory())
        .number(6, uid.isPresent() ? 1 + Integer.toUnsignedLong(uid.getAsInt()) : 0)
        .text(7, options.requiredName().map(PluginName::value).orElse(""));
  }

  // ---- reading

  private static PluginRecord.Instance instance(PluginId id, FieldReader in)
      throws MalformedRecordException {
    String name = in.text(1);
    Set<PluginRole> roles = EnumSet.noneOf(PluginRole.class);
    if (in.flag(2)) {
      roles.add(PluginRole.NODE);
    }
    if (in.flag(3)) {
      roles.add(PluginRole.CONTROLLER);
    }
    String socket = in.text(4);
    String root = in.text(5);
    MountPolicy policy = policy(in.required(6));
    ConnectOptions options = connecting(in.required(7));
    Optional<FieldReader> said = in.part(8);
    in.end();
    PluginRegistration registration =
        FieldReader.checked(
            "instance",
            () -> {
              PluginBinding.Builder binding =
                  PluginBinding.builder(id, CsiEndpoint.of(Path.of(socket)))
                      .policy(policy)
                      .connectOptions(options);
              if (!root.isEmpty()) {
                binding.seesRootAt(PluginPath.of(root));
              }
              return new PluginRegistration(binding.build(), InstanceId.of(name), roles);
            });
    if (!registration.binding().endpoint().path().toString().equals(socket)) {
      throw new MalformedRecordException("The socket is not written as a path is.");
    }
    return new PluginRecord.Instance(
        registration,
        said.isEmpty() ? Optional.empty() : Optional.of(FingerprintCodec.decode(said.get())));
  }

  private static MountPolicy policy(FieldReader in) throws MalformedRecordException {
    Duration attemptDeadline = TimeCodec.duration(in.required(1));
    int attempts = count(in, 2);
    Duration backoff = TimeCodec.duration(in.required(3));
    Duration backoffCap = TimeCodec.duration(in.required(4));
    Duration backgroundCap = TimeCodec.duration(in.required(5));
    Duration quarantine = TimeCodec.duration(in.required(6));
    int calls = count(in, 7);
    boolean mount = in.flag(8);
    boolean staging = in.flag(9);
    boolean device = in.flag(10);
    OnDeadMount dead = onDeadMount(in.number(11));
    int refusals = count(in, 12);
    DeadUnmount unmount =
        FieldReader.named(
            "way to unmount", DeadUnmount.values(), PluginCodec::number, in.number(13));
    boolean confirmedOnly = in.flag(14);
    boolean refusesHostDisk = in.flag(15);
    in.end();
    return FieldReader.checked(
        "policy",
        () ->
            MountPolicy.defaults()
                .withAttemptDeadline(attemptDeadline)
                .withAttempts(attempts)
                .withBackoff(backoff, backoffCap)
                .withBackgroundCap(backgroundCap)
                .withQuarantine(quarantine)
                .withCallsInFlight(calls)
                .withRequireMount(mount)
                .withRequireStagingMount(staging)
                .withRequireDevice(device)
                .withOnDeadMount(dead)
                .withForceAfterRefusals(refusals)
                .withUnmountDead(unmount)
                .withReleaseUnconfirmed(!confirmedOnly)
                .withRefuseHostDisk(refusesHostDisk));
  }

  private static int number(OnDeadMount policy) {
    return switch (policy) {
      case REPORT -> 0;
      case REPUBLISH -> 1;
      case REMOUNT -> 2;
      case LEAVE -> 3;
    };
  }

  private static int number(DeadUnmount policy) {
    return switch (policy) {
      case LAZY -> 0;
      case NEVER -> 1;
      case PLAIN -> 2;
      case FORCE -> 3;
    };
  }

  private static OnDeadMount onDeadMount(long number) throws MalformedRecordException {
    for (OnDeadMount one : OnDeadMount.values()) {
      if (number(one) == number) {
        return one;
      }
    }
    throw new MalformedRecordException("The policy for dead mounts is not known: " + number + ".");
  }

  private static int count(FieldReader in, int field) throws MalformedRecordException {
    long number = in.number(field);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new MalformedRecordException("A number is too large.");
    }
    return (int) number;
  }

  private static ConnectOptions connecting(FieldReader in) throws MalformedRecordException {
    Duration deadline = TimeCodec.duration(in.required(1));
    boolean ready = !in.flag(2);
    ConnectOptions.Transport transport = transport(in.number(3));
    boolean symlink = in.flag(4);
    boolean directory = in.flag(5);
    long uid = in.number(6);
    String name = in.text(7);
    in.end();
    if (uid < 0 || uid > 1L << 32) {
      throw new MalformedRecordException("The user of the peer is none.");
    }
    return FieldReader.checked(
        "way to connect",
        () -> {
          ConnectOptions.Builder options =
              ConnectOptions.builder()
                  .deadline(deadline)
                  .requireReady(ready)
                  .transport(transport)
                  .allowSymlink(symlink)
                  .allowUnsafeDirectory(directory);
          if (uid > 0) {
            options.requirePeerUid((int) (uid - 1));
          }
          if (!name.isEmpty()) {
            options.requireName(PluginName.of(name));
          }
          return options.build();
        });
  }

  // ---- numbers, for ever

  private static int number(ConnectOptions.Transport transport) {
    return switch (transport) {
      case AUTO -> 0;
      case EPOLL -> 1;
      case JDK -> 2;
    };
  }

  private static ConnectOptions.Transport transport(long number) throws MalformedRecordException {
    for (ConnectOptions.Transport transport : ConnectOptions.Transport.values()) {
      if (number(transport) == number) {
        return transport;
      }
    }
    throw new MalformedRecordException("The transport is not known.");
  }
}
