package io.csi4j.volume.model;

/**
 * What can happen to a volume that an operator has to know of. Names and numbers are stable: people
 * search for them, and {@code docs/operator-codes.md}, which is made from this table, says of each
 * what to do. A number is never used again; the hundreds are chapters.
 *
 * <p>Each row: the number, how bad it is, what it means, what is safe now, what happens next or
 * what to do.
 */
public enum OperatorCode {
  // 1xx: starts, and what they find
  ADOPTED(
      101,
      Severity.INFO,
      "A use that is on record was found mounted as it was left",
      "its workload noticed nothing, and no plugin was called",
      "Nothing is to be done"),
  RESUMED(
      102,
      Severity.INFO,
      "A mount that an earlier start had begun goes on",
      "its workload is told only when the mount table shows the volume",
      "The same call is made again, which does no harm if the first one got through"),
  ROLLED_BACK(
      103,
      Severity.INFO,
      "A mount that was begun and is not wanted any more was taken back",
      "nothing of it is left",
      "Nothing is to be done"),
  RELEASE_RESUMED(
      104,
      Severity.INFO,
      "A release that an earlier start had begun goes on",
      "the use counts until its end is certain",
      "It is repeated in the background until it is done"),
  ORPHAN_CLEANED(
      105,
      Severity.WARNING,
      "Something appeared at a path of a volume that had been given back, and was taken away again",
      "nobody was using it, and no data was deleted",
      "Nothing is to be done; if it comes again, the plugin works on calls that it has already"
          + " answered"),
  REBOOT_DETECTED(
      106,
      Severity.INFO,
      "The host has booted since the state was written, so nothing that is on record is mounted any"
          + " more",
      "all uses are in doubt and none is taken for mounted",
      "Tell the manager which uses are still wanted; they are mounted again, and the others"
          + " released"),
  NAMESPACE_CHANGED(
      107,
      Severity.WARNING,
      "The state was written in another mount namespace, so what is on record need not be visible"
          + " here",
      "all uses are in doubt and none is taken for mounted",
      "Tell the manager which uses are still wanted; if this process runs in a container, let its"
          + " root be a mount that the host shares with it (rshared)"),
  WAITING_FOR_HOST(
      108,
      Severity.INFO,
      "The host has not yet said which uses it still wants",
      "nothing is taken away before it has",
      "Hand the full list of live uses to the manager"),
  REQUEST_NEEDED(
      109,
      Severity.WARNING,
      "A use is wanted and may be gone, and only its request says how to mount it again",
      "the use still counts, and nothing is taken away",
      "Mount the volume for this workload again, or release it"),
  RECORD_UNREADABLE(
      110,
      Severity.ERROR,
      "The record of a volume cannot be read",
      "it is kept as it is, and nothing of the volume is touched",
      "Look at which version of csi4j wrote it; then restore the state, or clean the volume up by"
          + " hand"),
  JOURNAL_OLDER_THAN_KERNEL(
      111,
      Severity.ERROR,
      "The mount table shows something newer than the state knows of: the disk lost what it had"
          + " confirmed",
      "the volume is in doubt, and nothing of it is taken for mounted or free",
      "It is put right with the next reconciliation; look after the disk of the state"),
  STATE_REBUILT(
      112,
      Severity.WARNING,
      "There was no usable record of a volume, and it was rebuilt from the identity file in its"
          + " directory",
      "the volume is in doubt, and nothing of it is taken for mounted or free",
      "Tell the manager which uses are still wanted; find out who deleted the state"),
  SIDECAR_REPAIRED(
      113,
      Severity.INFO,
      "The identity file of a volume was missing or damaged, and was written again from its record",
      "the record was whole, and nothing else was changed",
      "Nothing is to be done; if it comes again, find out who writes into the directory"),

  // 2xx: the state on disk; the names are those of StateReason
  STATE_IN_USE(
      201,
      Severity.ERROR,
      "Another manager has the state",
      "nothing was read or changed",
      "Close that manager or end its process; never delete the lock"),
  STATE_TAKEN_OVER(
      202,
      Severity.ERROR,
      "Another process took the state while this one still had it",
      "this manager does nothing any more, and what is mounted stays",
      "End one of the two processes"),
  STATE_FROM_NEWER_VERSION(
      203,
      Severity.ERROR,
      "A newer version of csi4j wrote the state",
      "not a byte of it was changed, and what is mounted stays",
      "Run that version or a later one"),
  STATE_FROM_OTHER_HOST(
      204,
      Severity.ERROR,
      "The state was written on another host",
      "nothing was changed, and no plugin was called",
      "Start with an empty directory, or accept the other host if it is this one with a new machine"
          + " id"),
  STATE_FS_UNSUITED(
      205,
      Severity.ERROR,
      "The filesystem of the state promises too little about locks and syncing",
      "nothing was written",
      "Put the state on a local disk that survives a reboot"),
  STATE_NOT_USABLE(
      206,
      Severity.ERROR,
      "The directory of the state, or a file in it, cannot be used",
      "nothing new is mounted, and what is mounted stays",
      "Look at its kind, owner and mode"),
  STATE_DISK_FULL(
      207,
      Severity.ERROR,
      "The disk of the state is full",
      "nothing new is mounted, as it could not be remembered; releasing works",
      "Free space; nothing has to be restarted"),
  STATE_READ_ONLY(
      208,
      Severity.ERROR,
      "The disk of the state is read-only",
      "nothing new is mounted, as it could not be remembered; releasing works, but a restart may"
          + " take what was released for used",
      "Look at the kernel's log for the reason, then mount the disk writable again"),
  JOURNAL_SYNC_FAILED(
      209,
      Severity.ERROR,
      "The disk of the state failed to write",
      "nothing new is mounted, as it could not be remembered; releasing works, but a restart may"
          + " take what was released for used",
      "Look after the disk; the whole state is written again with the next mount"),
  TOO_MANY_FILES(
      210,
      Severity.ERROR,
      "The limit of open files is reached",
      "nothing new is mounted, and what is mounted stays",
      "Raise the limit, or find out what keeps the files open; then ask again"),
  STATE_VALUE_TOO_LARGE(
      211,
      Severity.ERROR,
      "A volume has more uses than its record can hold",
      "the new use was not begun, and the others stay",
      "Release uses that are over, or spread the workloads over several nodes"),
  STATE_CLOSED(
      212,
      Severity.ERROR,
      "The state was closed while the manager still needed it",
      "nothing is changed any more, and what is mounted stays",
      "Open a new manager, and close it before its state"),
  JOURNAL_TAIL_DROPPED(
      213,
      Severity.INFO,
      "The last record of the state was not whole, and was dropped",
      "what it was to guard had not begun",
      "Nothing is to be done after a crash or a power cut; without one, look after the disk"),
  JOURNAL_DAMAGED(
      214,
      Severity.ERROR,
      "Records of the state are damaged",
      "the file is kept aside, and volumes whose newest record may be lost are in doubt",
      "Look after the disk; the volumes are put right with the next reconciliation"),
  JOURNAL_TRUNCATED(
      215,
      Severity.ERROR,
      "The file of the state is shorter than it was made",
      "volumes whose newest record may be lost are in doubt",
      "Find out who cut it; the volumes are put right with the next reconciliation"),
  JOURNAL_ORDER(
      216,
      Severity.ERROR,
      "Records of the state are in an order in which nobody writes them",
      "the newest of each volume holds",
      "Find out whether two processes wrote it or a copy was mixed in"),
  JOURNAL_REPLACED(
      217,
      Severity.WARNING,
      "Somebody changed, replaced or deleted the state while it was in use, and it was written"
          + " anew",
      "nothing was lost",
      "Find out who did it"),
  STATE_MISSING(
      218,
      Severity.ERROR,
      "There is no state where there must have been some",
      "what identity files tell of is in doubt, and nothing is taken away by itself",
      "Find out who deleted it; tell the manager which uses are still wanted"),
  MODE_FIXED(
      219,
      Severity.WARNING,
      "A file or directory was open to others, and its mode was set right",
      "it is closed to others again",
      "Find out who changed it, and who may have looked"),
  STATE_SEALED(
      220,
      Severity.ERROR,
      "A value of the state is sealed, and does not open with the keys at hand",
      "nothing was changed",
      "Give the host the key that is named, or restore what was changed from a copy"),

  // 3xx: the plugin
  PLUGIN_NOT_REGISTERED(
      301,
      Severity.ERROR,
      "The manager does not know the plugin",
      "nothing was done, and what is mounted stays",
      "Register the plugin; what waits for it goes on by itself"),
  PLUGIN_NOT_UP(
      302,
      Severity.WARNING,
      "The plugin cannot be reached",
      "no call was sent, and what is mounted stays",
      "Start the plugin; releases wait for it and go on by themselves, a mount has to be asked for"
          + " again"),
  PLUGIN_NOT_READY(
      303,
      Severity.WARNING,
      "The plugin answers and says that it is not ready",
      "no call for the volume was sent, and what is mounted stays",
      "Look in the plugin's log for what it waits for; releases go on by themselves"),
  PLUGIN_SOCKET_STALE(
      304,
      Severity.WARNING,
      "The plugin's socket is there, and nobody listens",
      "no call was sent, and what is mounted stays",
      "Start the plugin; the file is left of one that is gone"),
  PLUGIN_SOCKET_DENIED(
      305,
      Severity.ERROR,
      "This process may not use the plugin's socket",
      "no call was sent, and what is mounted stays",
      "Set the owner and mode of the socket so that this process may connect"),
  CAPABILITIES_UNKNOWN(
      306,
      Severity.WARNING,
      "The plugin does not say what it can do, so nobody knows whether volumes have to be staged",
      "nothing new is mounted; releases follow what was recorded at the mount",
      "Look in the plugin's log; ask again when it answers"),
  CAPABILITY_LOST(
      307,
      Severity.WARNING,
      "The plugin does not do what it says it can, or could when the volume was mounted",
      "nobody was given the volume by this call, and a mounted one is released as it was mounted",
      "Repair the plugin or what it says of itself, or go back to its former version"),
  CAPABILITY_GAINED(
      308,
      Severity.INFO,
      "The plugin can do more than when the volume was mounted",
      "the volume is released as it was mounted",
      "Nothing is to be done; volumes that are mounted from now on make use of it"),
  PLUGIN_REPLACED(
      309,
      Severity.INFO,
      "Another process has become the plugin",
      "what is mounted stays; what the former one can do is forgotten",
      "It is asked what it can do before its next call"),
  PLUGIN_FORGOT(
      310,
      Severity.WARNING,
      "The plugin does not know a volume that it had mounted, and the mount table shows nothing of"
          + " it",
      "the release counts as done",
      "Look on the storage system whether the volume is still attached to this node; find out why"
          + " the plugin lost its memory"),
  CLEANUP_NEEDS_HELP(
      311,
      Severity.ERROR,
      "The plugin refuses to take away what is still mounted",
      "the use counts, and nobody else gets a volume for a single writer",
      "Read the plugin's words, repair it or its memory, and release again; unmounting by hand is"
          + " the last resort and leaves the device behind"),
  PLUGIN_GONE(
      312,
      Severity.ERROR,
      "Volumes are mounted by a plugin that is not there any more",
      "workloads keep what they have, and the uses count",
      "Bring the plugin back, so that the volumes can be released"),
  PLUGIN_NAME_CHANGED(
      313,
      Severity.ERROR,
      "The plugin gives itself another name than the one it was registered with",
      "it was not registered, and mounted volumes stay with the former name",
      "Register it under its own name, or start the plugin that was meant"),
  PLUGIN_PATH_BUDGET(
      314,
      Severity.WARNING,
      "Paths below the manager's directory are longer than the 128 bytes that every plugin accepts",
      "nothing was changed",
      "Choose a shorter directory, or make sure that the plugin accepts longer paths"),
  NODE_VOLUME_LIMIT(
      315,
      Severity.ERROR,
      "The plugin cannot have more volumes on this node",
      "nothing was begun for this volume",
      "Release volumes that are not needed, or run the workload on another node"),

  PLUGIN_UNHEALTHY(
      316,
      Severity.ERROR,
      "The plugin was ready, and has not been for several questions in a row",
      "what is mounted stays; no new volume is mounted with it, and releases wait for it",
      "Look in the plugin's log; it is asked again and again, and taken for ready at its first good"
          + " answers"),
  PLUGIN_FLAPPING(
      317,
      Severity.WARNING,
      "The plugin comes and goes",
      "what is mounted stays; its changes are told less often than they happen",
      "Look in its log for why it ends or stops answering, and at its limits of memory"),
  PLUGIN_START_TIMEOUT(
      318,
      Severity.ERROR,
      "The plugin was started and has not become ready in time",
      "no volume is mounted with it; it is asked further",
      "Look in the plugin's log; start it anew, or give it more time if it needs that"),
  PLUGIN_EXITED(
      319,
      Severity.ERROR,
      "The process of the plugin has ended with an error soon after its start",
      "what is mounted stays",
      "Read its last words; most often its configuration is wrong. It is started again after a"
          + " pause that grows"),
  PLUGIN_DUPLICATE(
      320,
      Severity.ERROR,
      "Another socket claims the name of a plugin that is registered",
      "the one that was there first stays, and the other was not sent anything",
      "Stop the one that is not meant, or register it under an id of its own"),
  PLUGIN_IN_USE(
      321,
      Severity.WARNING,
      "The plugin cannot be stopped without harm, because volumes are mounted with it",
      "it takes no new volumes meanwhile, and workloads keep what they have",
      "Stop the workloads that are named, or let them be moved; then stop the plugin"),
  PLUGIN_DRAINING(
      322,
      Severity.ERROR,
      "The plugin is being stopped and takes no new volumes",
      "nothing was begun for this volume",
      "Run the workload on another node, or cancel the stop and ask again"),
  NODE_ID_CHANGED(
      323,
      Severity.ERROR,
      "The plugin gives this node another id than before",
      "what is mounted stays; what is attached is still attached under the former id",
      "Find out why, and detach under the former id what is released"),
  PLUGIN_SAYS_NONSENSE(
      324,
      Severity.WARNING,
      "The plugin says something of itself that cannot be, and it is passed over",
      "nothing else of it is affected",
      "Tell its vendor"),
  REGISTRATION_REFUSED(
      325,
      Severity.ERROR,
      "A registration socket announces what cannot be registered",
      "nothing was registered, and what it had registered before stays",
      "Repair what announces it; it is looked at again when its socket is made anew"),
  REGISTRATION_SILENT(
      326,
      Severity.WARNING,
      "A registration socket gives no answer that could be used",
      "nothing was registered, and what is registered stays",
      "It is asked again after a pause that grows; remove the socket if nobody is behind it"),
  PLUGIN_STOPPED(
      327,
      Severity.INFO,
      "The plugin was stopped",
      "what is mounted stays, and releases wait until it is there again",
      "Nothing is to be done if that was meant"),
  PLUGIN_CONFIG_REFUSED(
      328,
      Severity.ERROR,
      "The configuration of a plugin asks for what cannot be",
      "nothing was made or begun",
      "Correct the configuration as the text says"),
  REGISTRATION_DIRECTORY(
      331,
      Severity.WARNING,
      "The directory of registration sockets cannot be looked at",
      "nothing is registered through it, and what is registered stays as long as its socket is"
          + " there",
      "Make the directory, or let this process read it; it is looked at again and again"),

  // 4xx: what the kernel's mount table shows
  FOREIGN_MOUNT(
      401,
      Severity.ERROR,
      "Something is mounted at a path of a volume that is not what was recorded",
      "it is neither used nor unmounted",
      "Find out who mounted it and unmount it by hand; then ask again"),
  STILL_MOUNTED(
      402,
      Severity.WARNING,
      "The plugin said OK to taking it away, and it is still mounted",
      "the use counts, and nobody else gets a volume for a single writer",
      "It is repeated in the background; look in the plugin's log, and for who keeps the mount"
          + " busy"),
  UNEXPECTED_MOUNT(
      403,
      Severity.ERROR,
      "Something is mounted below the manager's directory at a path that nobody asked for",
      "it is neither used nor unmounted",
      "Find out who mounted it; a plugin that mounts elsewhere than asked has to be repaired"),
  MOUNT_FLAGS_DIFFER(
      404,
      Severity.ERROR,
      "The volume is mounted with other flags than were asked for",
      "no workload was given it",
      "It is taken back; look whether the plugin heeds read-only and the mount flags, then ask"
          + " again"),
  STACKED_MOUNTS(
      405,
      Severity.WARNING,
      "Several mounts lie on top of each other at one path",
      "all of them are counted, and the path is free only when the last is gone",
      "Releasing is repeated until none is left; the plugin mounts again what is already mounted"),
  NOT_A_DEVICE(
      406,
      Severity.ERROR,
      "A raw block volume was asked for, and what is at the path is no block device",
      "no workload was given it",
      "It is taken back; look whether the plugin supports raw block volumes"),
  DEVICE_CHANGED(
      407,
      Severity.ERROR,
      "The device behind the volume is not the one that it was before",
      "no workload was given it",
      "It is taken back; look on the storage system which device belongs to the volume"),
  MOUNT_LOST(
      408,
      Severity.ERROR,
      "A volume is not mounted any more although nobody here gave it up",
      "the use counts; it is mounted again under its workload only where the plugin's policy for dead"
          + " mounts says so",
      "Find out who unmounted it; where it is not mounted again, stop the workload, then mount the"
          + " volume for it"),
  STAGING_LOST(
      409,
      Severity.WARNING,
      "The staging of a volume is gone although nobody here took it away",
      "workloads keep what they have",
      "It is staged again before the next workload gets it; find out who unmounted it"),
  TARGET_BUSY(
      410,
      Severity.WARNING,
      "A volume cannot be unmounted because somebody still uses it",
      "the use counts, and no data was lost",
      "End what keeps it busy; the release is repeated in the background"),
  UNKNOWN_MOUNT(
      411,
      Severity.ERROR,
      "Something is mounted below the manager's directory, and nothing says which volume it is",
      "it is never unmounted by itself",
      "Find out whose it is and unmount it by hand"),
  MOUNT_NOT_VISIBLE(
      412,
      Severity.ERROR,
      "The plugin said OK, and nothing is mounted at the path",
      "no workload was given it",
      "Mount a plugin container's directory as rshared; for a plugin that places plain directories,"
          + " as a fake in a test does, say MountPolicy.withRequireMount(false)"),
  MOUNT_BROKEN(
      413,
      Severity.WARNING,
      "What is mounted does not answer or has lost its source",
      "it counts as mounted, and nothing here waits for it",
      "Bring the server or device back, or release the volume"),
  MOUNT_UNRESPONSIVE(
      414,
      Severity.WARNING,
      "What is mounted does not answer in time",
      "it counts as mounted, and nothing here waits for it",
      "Look after its server or device; other volumes go on"),
  UNMOUNT_FORCED(
      415,
      Severity.WARNING,
      "A mount was taken away without its plugin, as the host allowed",
      "the path is free; the device may still be attached",
      "Look on the storage system whether the volume is still attached to this node"),
  LAZY_UNMOUNT_PENDING(
      416,
      Severity.WARNING,
      "A mount was detached, and the kernel finishes it when the last file is closed",
      "the path is free; the device may still be written to",
      "Do not give the volume to another node before the processes that use it have ended"),
  ROOT_OVERMOUNTED(
      417,
      Severity.ERROR,
      "Something was mounted over the manager's directory, or one in or above it",
      "nothing is mounted, removed or written there",
      "Unmount what lies over it; then ask again"),
  ROOT_NOT_SHARED(
      418,
      Severity.ERROR,
      "The manager's directory does not share its mounts, so those of a plugin in a container stay"
          + " invisible here",
      "nothing was mounted",
      "Make it shared with 'mount --make-rshared' on the mount that holds it"),
  MOUNT_TABLE_UNREADABLE(
      419,
      Severity.ERROR,
      "The kernel's mount table could not be read",
      "what was to be checked is in doubt, and no workload was told that it has a volume",
      "It is tried again; look whether /proc is mounted and this process may open more files"),

  MOUNT_DEAD(
      421,
      Severity.ERROR,
      "What is mounted for a workload answers no more, because what served it has ended",
      "nothing of its data was touched; the workload sees errors when it uses the volume",
      "By the policy of the plugin it is left, or mounted anew; a running workload sees the new"
          + " mount only where the mount is propagated into it, otherwise start it anew"),
  MOUNT_RESTORED(
      422,
      Severity.INFO,
      "A mount that was dead was made anew at the same path",
      "the use counted all the time, and nothing of its data was touched",
      "A workload that saw errors opens its files again; where the mount is not propagated into it,"
          + " start it anew"),
  MOUNT_IS_NOT_ITS_OWN(
      423,
      Severity.ERROR,
      "What the plugin has mounted is a directory of the host, or another volume",
      "no workload was given it",
      "It is taken back; look in the plugin's log why it mounted that, and have it repaired"),
  HOST_DISK_SHOWN(
      424,
      Severity.INFO,
      "The volumes of a plugin are directories of a disk of the host",
      "the volume is mounted",
      "Nothing is to be done where that is meant, as with plugins for development; otherwise say"
          + " MountPolicy.withRefuseHostDisk(true) for the plugin"),

  // 5xx: requests
  OPTIONS_DIFFER(
      501,
      Severity.ERROR,
      "The volume is in use in another way than this request wants it",
      "nothing was begun, and the present uses stay",
      "Ask with the same options, or wait until the present uses are released"),
  VOLUME_IN_USE(
      502,
      Severity.ERROR,
      "The volume is for a single writer, and another workload has it",
      "nothing was begun, and the present use stays",
      "Release it for the other workload first"),
  TOO_MANY_WAITERS(
      503,
      Severity.ERROR,
      "Too many operations wait for this volume already",
      "this one was not begun",
      "Ask again later; explain says what the volume waits for"),
  IN_PROGRESS(
      504,
      Severity.INFO,
      "The operation takes longer than the caller waits",
      "it goes on, and its end will be certain",
      "Ask again to wait for it, or release the use to have it undone"),
  CANCELLED(
      505,
      Severity.INFO,
      "The caller has stopped waiting",
      "the operation goes on, and its end will be certain",
      "Ask again to wait for it, or release the use to have it undone"),
  SUPERSEDED(
      506,
      Severity.INFO,
      "The volume was released while it was being mounted",
      "the workload was not given it",
      "What was begun is taken back"),
  NOT_MOUNTED(
      507,
      Severity.ERROR,
      "The volume is not mounted for this workload",
      "nothing was done",
      "Mount the volume for the workload first"),
  NOT_OFFERED(
      508,
      Severity.ERROR,
      "The plugin does not offer this",
      "nothing was done, and what is mounted stays",
      "Do without it, or use a version of the plugin that has it"),
  SECRETS_UNAVAILABLE(
      509,
      Severity.ERROR,
      "The host could not give the secrets for a call",
      "the call was not made",
      "Repair what gives the secrets; then ask again"),
  NOT_ALLOWED_HERE(
      510,
      Severity.ERROR,
      "The request asks for what this volume cannot be",
      "nothing was begun",
      "Correct the request as the text says"),
  ACCESS_MODE_REPLACED(
      511,
      Severity.INFO,
      "The plugin does not know the access mode of a volume, and is sent an older one",
      "the volume is mounted, and is for one workload at a time",
      "Nothing is to be done; a version of the plugin with SINGLE_NODE_MULTI_WRITER knows the mode"),
  LIST_TAKES_ALL(
      512,
      Severity.ERROR,
      "The list of what is wanted would take away everything that was found mounted",
      "nothing was taken away",
      "Look whether the list is complete; if nothing of it is wanted, say so with releaseFound()"),
  HOST_NOT_HEARD(
      513,
      Severity.WARNING,
      "Nobody has said since the start which of the volumes that were found are still wanted",
      "all of them stay, and nothing is cleaned up in the background",
      "Let the host call reconcile with what it still wants, once after each start"),

  RUNTIME_CANNOT_MOUNT(
      531,
      Severity.ERROR,
      "The runtime of a task cannot take volume mounts",
      "no volume was claimed and no plugin was called",
      "Run the task with another runtime, or without the volume"),
  PROPAGATION_REFUSED(
      532,
      Severity.ERROR,
      "Mounts of a task were to reach the host, and that is not allowed for it",
      "the task was not given the volume",
      "Use host-to-task or private; or ask for the volume read-write and let the host permit it"),
  TOPOLOGY_MISMATCH(
      533,
      Severity.ERROR,
      "The volume cannot be reached from this node",
      "no volume was claimed and no plugin was called",
      "Run the workload on a node in one of the places that are named"),
  MOUNT_MISSING(
      534,
      Severity.ERROR,
      "A task refers to a volume that is not mounted for its workload",
      "the task was not started with a part of its volumes missing",
      "Mount the volume first, or correct the name"),
  DESTINATION_CONFLICT(
      535,
      Severity.ERROR,
      "Two mounts of a task would be at the same place, or one inside of a device",
      "the task was not given them",
      "Give each its own place"),
  RUNTIME_UNREADABLE(
      536,
      Severity.ERROR,
      "What the runtime of a task can take could not be read",
      "no volume was claimed and no plugin was called",
      "Repair the runtime, or what asks it; then ask again"),
  SOURCE_UNKNOWN(
      537,
      Severity.ERROR,
      "The host knows no volume under the source of a request",
      "no volume was claimed and no plugin was called",
      "Create or register the volume, or correct the source"),
  DESTINATION_IN_READ_ONLY(
      538,
      Severity.WARNING,
      "A volume of a task would be inside of one that is only read",
      "nothing stands in the way if the directory for it is there already",
      "Make the directory in the outer volume before it is only read, or choose another place"),

  // 6xx: directories and paths
  NO_SPACE(
      601,
      Severity.ERROR,
      "There is no space for the directories of a volume",
      "no call was sent, and nothing is left",
      "Free space or inodes below the manager's directory; then ask again"),
  PATH_IN_THE_WAY(
      602,
      Severity.ERROR,
      "Something that is not ours is at the path of a volume",
      "it was not touched, and no call was sent",
      "Look at it and move it away; then ask again"),
  PATH_NOT_EMPTY(
      603,
      Severity.ERROR,
      "A directory of a volume is not mounted, and has contents",
      "nothing in it was touched or deleted",
      "Look at the contents and move them away: most likely a workload wrote there while nothing"
          + " was mounted"),
  SYMLINK_IN_PATH(
      604,
      Severity.ERROR,
      "A part of the path of a volume is a symbolic link",
      "it was not followed, and nothing was done there",
      "Remove the link, or open the manager with the directory that it leads to"),
  PATH_DENIED(
      605,
      Severity.ERROR,
      "This process may not use the path of a volume",
      "nothing was done there",
      "Set owner and mode right; then ask again"),
  PATH_READ_ONLY(
      606,
      Severity.ERROR,
      "The filesystem below the manager's directory is read-only",
      "nothing was done there",
      "Look at the kernel's log for the reason, then mount it writable again"),
  PATH_FAILED(
      607,
      Severity.ERROR,
      "A directory of a volume could not be made, looked at or removed",
      "nothing was deleted",
      "Look at the path; it is tried again with the next request"),
  WRONG_IDENTITY(
      608,
      Severity.ERROR,
      "The identity file in a directory names another volume, or is damaged",
      "nothing was done there",
      "Look whose directory it is; two managers must not share one directory"),
  ROOT_NOT_USABLE(
      609,
      Severity.ERROR,
      "The manager's directory cannot be used",
      "nothing was done",
      "Set the named component's owner and mode right; then open again"),
  ROOT_TOO_LONG(
      610,
      Severity.ERROR,
      "The path of the manager's directory is too long",
      "nothing was done",
      "Choose a shorter one"),
  ROOT_FS_UNSUITED(
      611,
      Severity.WARNING,
      "The filesystem of the manager's directory is not suited for mounts of volumes",
      "volumes can be mounted, and removing their directories may fail",
      "Put the directory on a local disk"),
  ROOT_VANISHED(
      612,
      Severity.ERROR,
      "The manager's directory was deleted while it was in use",
      "what is mounted stays; nothing was deleted here",
      "Find out who deleted it; it is made again for the next volume"),

  // 7xx: calls to the plugin
  RPC_SLOW(
      701,
      Severity.INFO,
      "A call to the plugin takes long",
      "other volumes go on, and no second call is sent for this one",
      "Nothing is to be done; if it does not end, look in the plugin's log"),
  RPC_STUCK(
      702,
      Severity.WARNING,
      "A call to the plugin did not end within its time",
      "the plugin may still be working on it, so only the same call is made for that path",
      "Look in the plugin's log for what it waits for; restarting the plugin ends the doubt"),
  STAGE_IN_DOUBT(
      703,
      Severity.WARNING,
      "Nobody knows whether the volume is staged",
      "no workload was given it, and nobody else gets a volume for a single writer",
      "Staging is repeated if the volume is wanted, else undone when the plugin has certainly let"
          + " go"),
  PUBLISH_IN_DOUBT(
      704,
      Severity.WARNING,
      "Nobody knows whether the volume is published for the workload",
      "the workload was not given it, and the volume stays staged",
      "Publishing is repeated if the volume is wanted, else undone when the plugin has certainly"
          + " let go"),
  UNPUBLISH_IN_DOUBT(
      705,
      Severity.WARNING,
      "Nobody knows whether the volume is still published for the workload",
      "the use counts, and the volume stays staged",
      "Unpublishing is repeated in the background until it is certain"),
  UNSTAGE_IN_DOUBT(
      706,
      Severity.WARNING,
      "Nobody knows whether the volume is still staged",
      "it counts as staged for releasing and as not staged for the next mount",
      "Unstaging is repeated in the background until it is certain"),
  REFUSED_BY_PLUGIN(
      707,
      Severity.ERROR,
      "The plugin refused the call",
      "the workload was not given the volume; what was done before is taken back",
      "Change what the plugin complains of; then ask again"),
  RELEASE_REFUSED(
      708,
      Severity.WARNING,
      "The plugin refused to give the volume up",
      "the use counts until its end is certain",
      "It is repeated in the background; look at what the plugin complains of"),
  FAILED_IN_DOUBT(
      709,
      Severity.ERROR,
      "All attempts have failed, and the last may have done something",
      "the workload was not given the volume; what may be there is on record, and is taken back in"
          + " the background",
      "Look in the plugin's log, then ask again"),
  DATA_LOSS(
      710,
      Severity.ERROR,
      "The plugin says that data is lost or damaged",
      "nothing was deleted here, and a mount is not repeated by itself",
      "Look after the volume on the storage system before anything else is done with it"),
  CALL_FAILED(
      711,
      Severity.ERROR,
      "A call that mounts nothing failed",
      "the volume stays mounted as it is",
      "Look at what the plugin says; then ask again"),
  RELEASED_WITHOUT_CONFIRMATION(
      712,
      Severity.WARNING,
      "A use was given up although the plugin never confirmed its release",
      "nothing is mounted for it, and the volume is unstaged as soon as nobody else has it",
      "Tell whoever maintains the plugin: NodeUnpublishVolume has to succeed when nothing is"
          + " mounted"),
  ABANDONED(
      713,
      Severity.WARNING,
      "A person has decided that nothing more is owed for a use or its staging",
      "nothing is mounted there; whether the plugin still holds something is not known",
      "If the plugin or the storage system shows the volume in use, release it there"),
  RELEASE_NOT_SENT(
      714,
      Severity.ERROR,
      "The release of a volume could not be sent to the plugin",
      "the plugin was not asked, the use counts, and it is tried again in the background",
      "Put right what the text names; it is on this side and not the plugin's"),

  // 8xx: claims across machines
  CLAIM_HELD_BY(
      801,
      Severity.ERROR,
      "The volume is claimed by somebody beside whom there is no room",
      "nothing was changed, and the holder keeps it",
      "Wait until the holder has given it back, or stop the holder; a claim on its way back counts"
          + " too"),
  CLAIM_OTHER_USE(
      802,
      Severity.ERROR,
      "The volume is claimed in another way than is asked for",
      "nothing was changed, and the holders keep it",
      "Ask for it in the way that it is used, or wait until nobody holds it"),
  CLAIM_BEING_RELEASED(
      803,
      Severity.WARNING,
      "A claim that has to be gone first is on its way back",
      "it goes on, and is not turned round",
      "Claim again when it has been forgotten"),
  CLAIM_CHANGE_NEEDED(
      804,
      Severity.ERROR,
      "The workload has the volume for something else than it asks for now",
      "nothing was changed, and it keeps what it has",
      "Change the claim by saying so; reading never becomes writing by itself"),
  CLAIM_READ_ONLY(
      805,
      Severity.ERROR,
      "A claim for writing asks for an access mode in which nobody may write",
      "nothing was changed",
      "Claim for reading, or ask for another access mode"),
  CLAIM_EXHAUSTED(
      806,
      Severity.WARNING,
      "The storage system takes no further claim of this volume",
      "nothing was changed, and the holders keep it",
      "It is tried again when the time is over; fewer workloads, or more room there, help too"),
  CLAIM_NOT_FREE(
      807,
      Severity.ERROR,
      "A claim was to be forgotten for which something is still owed",
      "nothing was changed",
      "Let the node and the controller finish; override it only with proof that the node cannot"
          + " write"),
  CLAIM_MISSING(
      808,
      Severity.ERROR,
      "There is no such claim",
      "nothing was changed, and what is mounted stays",
      "Claim the volume; if it was there before, find out who removed it"),
  CLAIM_UNCONFIRMED(
      809,
      Severity.WARNING,
      "What is known of the claim could not be confirmed",
      "nothing is mounted on the strength of it, and what is mounted stays",
      "Ask again: doing it twice is harmless"),
  CLAIM_STORE_DOWN(
      810,
      Severity.ERROR,
      "The store of claims cannot be asked",
      "nothing was changed; what is mounted stays",
      "Bring the store back; ask again then"),
  CLAIM_STORE_WENT_BACK(
      811,
      Severity.ERROR,
      "The store of claims is another one, or has lost what it had",
      "nothing is claimed from it; claims may still be given back",
      "Find out what was restored; compare its claims with what the nodes have mounted before"
          + " anything is claimed"),
  CLAIM_TOO_LARGE(
      812,
      Severity.ERROR,
      "The claims of the volume would be more than a store keeps",
      "nothing was changed, and the holders keep it",
      "Let fewer workloads hold it at a time, or use shorter names"),
  CLAIM_UNREADABLE(
      813,
      Severity.ERROR,
      "What is claimed of the volume was written by a newer version, or is damaged",
      "nothing was changed; what is mounted stays",
      "Run the version of csi4j that wrote it, or a later one"),
  CLAIM_NEEDS_FENCING(
      821,
      Severity.ERROR,
      "A claim is on its way back, and its node does not say that it has nothing mounted",
      "the claim stays, and nobody else gets the volume: that a node is silent proves nothing",
      "Bring the node back, or prove that it cannot write"),
  CLAIM_PROOF_UNFIT(
      822,
      Severity.ERROR,
      "A proof does not fit the claim",
      "nothing was changed, and the claim stays",
      "Release the claim first, and make the proof after that: for its epoch and its node"),
  CLAIM_OVERRIDDEN(
      823,
      Severity.WARNING,
      "An operator answered for a claim of which nothing was proven",
      "it goes on as if it were proven, and is kept with the claims of the volume",
      "If the node should come back, let it unmount the volume before anything else"),
  CLAIM_ORPHANED(
      824,
      Severity.WARNING,
      "A claim of a node is one of which the node knows nothing",
      "the claim stays until the node has proven that it has nothing mounted",
      "Release it, and let the node give its receipt"),
  ATTACH_RESUMED(
      825,
      Severity.INFO,
      "An attaching whose end nobody knew is done again",
      "the claim is the same as before",
      "Nothing: doing it twice is harmless"),
  DETACH_RESUMED(
      826,
      Severity.INFO,
      "A detaching that somebody had begun is gone on with",
      "its node was done before",
      "Nothing: doing it twice is harmless"),
  ATTACH_FAILED(
      827,
      Severity.ERROR,
      "The storage system did not attach the volume to the node",
      "the workload keeps its claim, and nothing is mounted with it",
      "Claim it again, or release it: that detaches it, should it be attached after all"),
  ATTACHED_ELSEWHERE(
      828,
      Severity.ERROR,
      "The storage system has the volume attached to another node, and says that one is enough",
      "the workload keeps its claim, and nothing is mounted with it",
      "Find out who attached it there without a claim, and detach it; then claim it again"),
  ATTACHED_OTHERWISE(
      829,
      Severity.ERROR,
      "The volume is attached to the node in another way than is asked for",
      "nothing was changed, and the holders keep it",
      "Release it on that node first; an attachment is not changed while it is used"),
  DETACH_FAILED(
      830,
      Severity.ERROR,
      "The storage system did not detach the volume from the node",
      "the claim stays, and nobody gets the volume who may not have it beside that node",
      "It is asked again when the claims are resumed"),
  DETACH_NOT_KNOWN(
      831,
      Severity.ERROR,
      "The storage system does not know the volume, or the node that it is attached to",
      "the claim stays: that something is not known does not prove that it is detached",
      "Look whether both have the right name; if the node is gone for ever attest that it is off,"
          + " else override the claim"),
  ATTACH_LEFT_OVER(
      832,
      Severity.WARNING,
      "A volume was attached for a claim that had been given back meanwhile",
      "that is kept with the claims of the volume, and nobody gets in between",
      "It is detached when the claims are resumed"),
  PUBLISH_CONTEXT_CHANGED(
      833,
      Severity.WARNING,
      "The volume is attached to the node again, and the storage system returned another context",
      "the claim has the new one, and what is mounted there stays as it is",
      "Unmount the volume on that node and mount it with the new grant; before that such a mount is"
          + " refused (OPTIONS_DIFFER)"),
  // 84x: a node and the claims that it was given
  FENCED(
      841,
      Severity.ERROR,
      "The claim that this node was given is over",
      "nothing is mounted with it, and what was begun is taken back",
      "Claim the volume anew if the workload is to have it here"),
  FENCED_WHILE_MOUNTED(
      842,
      Severity.ERROR,
      "The claim that this node was given is over, and its volume is still mounted here",
      "nothing new is begun with it, and the mount of the workload is taken away first",
      "Stop the workload; find out who moved the claim on, and look after the data, as two nodes"
          + " may have written"),
  SELF_FENCED(
      843,
      Severity.ERROR,
      "Nobody has confirmed the claim for as long as the host allows",
      "the mount of the workload is taken away, and its claim stays as it is",
      "Bring the store back, or make the time longer; claim and mount again then"),
  RECEIPT_REFUSED(
      844,
      Severity.WARNING,
      "Something of the use may be left on this node",
      "the claim stays with the node, and nobody else gets the volume",
      "Have it unmounted, or wait until that has ended; then ask again"),
  ATTACHMENT_LOST(
      845,
      Severity.ERROR,
      "A claim needs an attachment that the storage system does not have",
      "nothing was changed; the workload may have lost its volume",
      "Look after the workload; have it attached again, or let the policy do so"),
  ATTACHMENT_UNKNOWN(
      846,
      Severity.WARNING,
      "The storage system has a volume attached to a node that no claim names",
      "nothing was changed",
      "Find out who attached it; have it detached if nobody needs it, or let the policy do so"),
  VOLUME_ABNORMAL(
      847,
      Severity.ERROR,
      "The storage system says that something is wrong with a volume",
      "nothing was changed, and nothing is mended on the strength of it",
      "Look after the volume on the storage system"),

  // 9xx: the manager itself
  STEP_FAILED(
      901,
      Severity.ERROR,
      "A step of an operation failed in a way that nobody expected",
      "what it was about is in doubt, and other volumes go on",
      "It is put right in the background; report it with its stack trace"),
  LISTENER_FAILED(
      902,
      Severity.WARNING,
      "A listener of the host threw an exception",
      "no volume is concerned, and other listeners go on",
      "Repair the listener; it is told of further events, and further failures go to the log only"),
  EVENTS_DROPPED(
      903,
      Severity.WARNING,
      "A listener of the host is too slow, and events were not told",
      "no volume is concerned; progress is dropped before failures",
      "Make the listener faster, or let more events wait"),
  ENGINE_CLOSED(
      904,
      Severity.ERROR,
      "The manager is closed",
      "nothing was begun, and what is mounted stays",
      "Open a manager and ask it"),
  CLOSED_WITH(
      905,
      Severity.WARNING,
      "The manager was closed while operations were going on",
      "all of them are on record, and what is mounted stays",
      "The next start goes on with them"),
  LONG_PAUSE(
      906,
      Severity.WARNING,
      "The process stood still for long",
      "what was seen before the pause is checked again before the next step",
      "Look for long garbage collections or a paused machine"),
  NO_THREADS(
      907,
      Severity.ERROR,
      "The threads of the manager could not be started",
      "nothing was done",
      "Raise the limit of threads for this process; then open again"),

  // 92x to 94x: what a storage system is asked to do with volumes
  CONTROLLER_BUSY(
      921,
      Severity.WARNING,
      "Too many calls of one kind wait for the storage system, or one waited for too long",
      "the call was not sent, and nothing was changed",
      "Ask again later; look in the plugin's log if calls take long"),
  CONTROLLER_CALL_CANCELLED(
      922,
      Severity.INFO,
      "Who waited for a call to the storage system does so no longer",
      "a call that was sent goes on, and what it does is on record",
      "Ask again when the result is wanted"),
  CONTROLLER_SECRETS_MISSING(
      923,
      Severity.ERROR,
      "The host gave no secrets for a call to the storage system",
      "the call was not sent, and nothing was changed",
      "Look in the host's log; ask again when its provider of secrets works"),
  CONTROLLER_CALL_REFUSED(
      924,
      Severity.ERROR,
      "The storage system refused a call",
      "what was refused was not done, and what there is stays as it is",
      "Change what the plugin complains of; then ask again"),
  CONTROLLER_CALL_NOT_OFFERED(
      925,
      Severity.ERROR,
      "The storage system does not offer what is asked for",
      "nothing was changed",
      "Do without it, or use a plugin that offers it"),
  CONTROLLER_CALL_IN_DOUBT(
      926,
      Severity.WARNING,
      "Nobody knows whether the storage system did what it was asked for",
      "what may be there is on record",
      "Ask again: doing it twice is harmless; look in the plugin's log if that does not help"),
  CONTROLLER_ANSWER_UNUSABLE(
      927,
      Severity.ERROR,
      "The storage system answered what cannot be, or made something else than was asked for",
      "what was made for it is given to nobody",
      "What was made is deleted again as soon as that is possible; tell whoever maintains the"
          + " plugin"),
  VOLUME_REQUEST_REFUSED(
      931,
      Severity.ERROR,
      "What is asked for of a volume cannot be",
      "the call was not sent, and nothing was changed",
      "Correct all that is named; then ask again"),
  VOLUME_UNKNOWN(
      932,
      Severity.ERROR,
      "No volume of that name is on record",
      "nothing was changed",
      "Look for the name in the list of volumes; create or register the volume first"),
  VOLUME_KNOWN_OTHERWISE(
      933,
      Severity.ERROR,
      "A volume of that name is on record, and is another one than is asked for",
      "the one that is on record stays as it is",
      "Take another name, or ask for just what is on record"),
  VOLUME_CLAIMED(
      934,
      Severity.ERROR,
      "The volume is claimed by somebody",
      "nothing was changed, and the holders keep it",
      "Wait until all holders have given it back, or stop them"),
  VOLUME_NOT_OURS(
      935,
      Severity.ERROR,
      "The volume was not made here, so it is not deleted here",
      "nothing was changed",
      "Forget it by deregistering it; delete it where it was made"),
  VOLUME_BEING_DELETED(
      936,
      Severity.WARNING,
      "The volume is being deleted",
      "nobody is given the volume any more",
      "Wait until it is gone; its deletion is repeated until it is certain"),
  VOLUME_MAY_BE_LEFT(
      937,
      Severity.ERROR,
      "A volume may be left in the storage system, and nobody can find out its id",
      "its name stays on record, and no other volume is made under it",
      "Look for the name in the storage system and delete the volume there; then forget it here"),
  VOLUME_ID_TAKEN(
      938,
      Severity.ERROR,
      "The storage system gave a new volume the id of one that is on record under another name",
      "neither is deleted, and the new one is given to nobody",
      "Find out which volume it is before anything is done with either; tell whoever maintains the"
          + " plugin"),
  VOLUME_SHRINKS(
      939,
      Severity.ERROR,
      "A volume was to become smaller than it is",
      "nothing was changed",
      "Ask for at least what it has; a smaller volume has to be made anew"),
  VOLUME_NOT_CONFIRMED(
      940,
      Severity.ERROR,
      "The storage system does not confirm that the volume can be used as asked",
      "nothing is on record of it",
      "Ask for ways to use it that the plugin confirms; if the plugin only leaves out what it was"
          + " asked, open the controller with the validation LENIENT"),
  SNAPSHOT_NOT_READY(
      941,
      Severity.WARNING,
      "The snapshot is cut, and not ready yet",
      "no volume can be made of it before it is ready",
      "Ask for the same snapshot again later"),
  SNAPSHOT_IN_GROUP(
      942,
      Severity.ERROR,
      "The snapshot belongs to a group and is never deleted alone",
      "nothing was changed",
      "Delete the group with all its snapshots"),
  LISTING_TOKEN_EXPIRED(
      943,
      Severity.WARNING,
      "The storage system does not know the place any more from which a list was to go on",
      "nothing was changed",
      "Read the list from its beginning"),
  LISTING_ENDLESS(
      944,
      Severity.ERROR,
      "The list of the storage system goes round in a circle, or does not end",
      "what was read is right, and nothing was changed",
      "Tell whoever maintains the plugin"),
  VALIDATION_UNANSWERED(
      945,
      Severity.INFO,
      "The storage system does not confirm all of how the volume can be used, and contradicts"
          + " nothing",
      "the volume is on record as it was asked for",
      "Read the plugin's words, if it gave any: if they mean that the use is wrong, forget the"
          + " volume and register it for another one"),
  SNAPSHOT_OWED(
      946,
      Severity.ERROR,
      "A snapshot of the volume may be in the storage system, and nobody was told of it",
      "nothing was changed",
      "Ask for the same snapshot again, or drop it; then go on"),
  VOLUME_CONTEXT_CHANGED(
      947,
      Severity.WARNING,
      "The storage system reports another context for a volume than when it was made",
      "the first one stays on record, and is the one that is sent",
      "Tell whoever maintains the plugin: the context of a volume never changes");

  private final int number;
  private final Severity severity;
  private final String meaning;
  private final String safe;
  private final String next;

  /** Who has to care. */
  public enum Severity {
    /** Nobody: it is told so that the story is complete. */
    INFO,
    /** Somebody, some day: something is not as it should be, and csi4j copes. */
    WARNING,
    /** Somebody, now: what was asked for was not done, or csi4j cannot put it right alone. */
    ERROR
  }

  OperatorCode(int number, Severity severity, String meaning, String safe, String next) {
    this.number = number;
    this.severity = severity;
    this.meaning = meaning;
    this.safe = safe;
    this.next = next;
  }

  /** Its number. */
  public int number() {
    return number;
  }

  /** Number and name, as messages begin: {@code CSI-412 MOUNT_NOT_VISIBLE}. */
  public String label() {
    return "CSI-" + number + " " + name();
  }

  /** Who has to care. */
  public Severity severity() {
    return severity;
  }

  /** What it means: a sentence without its full stop. */
  public String meaning() {
    return meaning;
  }

  /** What is safe now: a clause. */
  public String safe() {
    return safe;
  }

  /** What happens next, or what to do: a sentence without its full stop. */
  public String next() {
    return next;
  }
}
