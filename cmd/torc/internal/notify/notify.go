package notify

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/torc-engine/torc/netcore"
)

const (
	statusTime = time.Second // between two looks at the status
	// perWatchdog is the number of signs of life in the time of the watchdog.
	perWatchdog = 4
	// extendTime is how much time a server asks for that drains, and perExtension is how often it
	// asks in that time. The rest is for the end itself.
	extendTime   = 20 * time.Second
	perExtension = 4
)

// Manager is the service manager of this process. Its methods are for one goroutine at a time. nil
// is no manager.
type Manager struct {
	log      *slog.Logger
	watchdog time.Duration // between two signs of life; 0: the manager wants none
	alive    netcore.Time  // when the next sign is due
	look     netcore.Time  // when the next look at the status is due
	status   string        // as last told
	extended netcore.Time  // when the manager is asked for more time again; 0: it was not asked
	failed   bool          // a message was lost, and the log has it
}

// New returns the manager that started this process, or nil.
func New(log *slog.Logger) *Manager {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	m := &Manager{log: log}
	wanted, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the watchdog of systemd is off", "why", err)
	}
	m.watchdog = wanted / perWatchdog
	return m
}

// Ready tells the manager that the server accepts players.
func (m *Manager) Ready(status string) {
	if m != nil {
		m.status = status
		m.send(daemon.SdNotifyReady, statusOf(status))
	}
}

// Round gives a sign of life and tells a changed status, if they are due. It must run on the
// goroutine of the loop: a loop that stands still gives no sign.
func (m *Manager) Round(now netcore.Time, status func() string) {
	if m == nil {
		return
	}
	if m.watchdog > 0 && now >= m.alive {
		m.alive = now + m.watchdog
		m.send(daemon.SdNotifyWatchdog)
	}
	if now < m.look {
		return
	}
	m.look = now + statusTime
	if s := status(); s != m.status {
		m.status = s
		m.send(statusOf(s))
	}
}

// Reload tells the manager the begin and the end of a reload. An error is shown as the status until
// the next one.
func (m *Manager) Reload(reload func() error) error {
	if m == nil {
		return reload()
	}
	m.send(daemon.SdNotifyReloading, strings.TrimSpace(daemon.SdNotifyMonotonicUsec()))
	err := reload()
	if err != nil {
		m.send(daemon.SdNotifyReady, statusOf(err.Error()))
	} else {
		m.send(daemon.SdNotifyReady, statusOf(m.status))
	}
	return err
}

// Restarting tells the manager that the process replaces itself. The new process is Ready later.
func (m *Manager) Restarting() {
	if m != nil {
		m.send(daemon.SdNotifyReloading, strings.TrimSpace(daemon.SdNotifyMonotonicUsec()), statusOf("restarting"))
	}
}

// Draining tells the manager that the server ends when its players have gone, and asks it for more
// time, again and again until a time. Call it in each round: a loop that stands still asks for
// nothing, and the manager ends the process.
func (m *Manager) Draining(now, until netcore.Time) {
	if m == nil || now < m.extended || now >= until {
		return
	}
	if m.extended == 0 {
		m.send(daemon.SdNotifyStopping)
	}
	m.extended = now + extendTime/perExtension
	m.send(fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", extendTime.Microseconds()))
}

// Stopping tells the manager that the server ends.
func (m *Manager) Stopping() {
	if m != nil {
		m.send(daemon.SdNotifyStopping, statusOf("ending"))
	}
}

// statusOf returns the assignment of a status, which is one line.
func statusOf(text string) string { return "STATUS=" + strings.Join(strings.Fields(text), " ") }

// send sends assignments. A loss is logged once.
func (m *Manager) send(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil && !m.failed {
		m.failed = true
		m.log.Warn("systemd is not told about this server", "why", err)
	}
}
