package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestMapPort: serve --map-port asks a router by NAT-PMP, and one that does not answer that by
// UPnP. It says the address for players, and removes the mapping at the end.
func TestMapPort(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	m := machines{t}
	m.add("home", "router", "house", "gateway")
	m.link("home", "10.0.5.2/24", "router", "10.0.5.1/24")
	m.link("house", "10.0.6.2/24", "gateway", "10.0.6.1/24")
	m.ip("-n home route add default via 10.0.5.1\n -n house route add default via 10.0.6.1")

	requests := m.natpmp("router", "10.0.5.1:5351")
	server := m.start("home", "serve", "--map-port")
	server.expect("the router forwards UDP port 41000 (NAT-PMP): torc join 198.51.100.5:41000")
	server.quits()
	assert.Equal(t, "map 28000 to 28000 for 3600", <-requests)
	assert.Equal(t, "map 28000 to 0 for 0", <-requests)

	requests = m.igd("gateway", "10.0.6.1")
	server = m.start("house", "serve", "--map-port")
	server.expect("the router forwards UDP port 28000 (UPnP): torc join 198.51.100.6:28000")
	server.quits()
	assert.Equal(t, "AddPortMapping 28000 UDP 10.0.6.2 3600", <-requests)
	assert.Equal(t, "AddPortMapping 28000 UDP 10.0.6.2 0", <-requests)
	assert.Equal(t, "DeletePortMapping 28000 UDP", <-requests)
}

// natpmp runs a router with NAT-PMP. The channel gets its requests.
func (m machines) natpmp(machine, address string) <-chan string {
	requests := make(chan string, 10)
	m.on(machine, func() error {
		c, err := net.ListenPacket("udp4", address)
		if err != nil {
			return err
		}
		go func() {
			b, last := make([]byte, 100), ""
			for {
				n, from, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				answer := []byte{0, 128 + b[1], 0, 0, 0, 0, 0, 9}
				if b[1] == 0 {
					answer = append(answer, 198, 51, 100, 5)
				} else if n >= 12 {
					if text := fmt.Sprintf("map %d to %d for %d", binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:]), binary.BigEndian.Uint32(b[8:])); text != last {
						last = text // a client asks again if the answer is late
						requests <- text
					}
					answer = append(answer, b[4], b[5])
					answer = append(binary.BigEndian.AppendUint16(answer, 41000), b[8:12]...)
				}
				_, _ = c.WriteTo(answer, from)
			}
		}()
		return nil
	})
	return requests
}

const igdDevice = `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><UDN>uuid:1</UDN><serviceList><service>
<serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId>
<SCPDURL>/scpd.xml</SCPDURL><controlURL>/control</controlURL><eventSubURL>/event</eventSubURL>
</service></serviceList></device></root>`

// igd runs a router with UPnP that has no leases that end. The channel gets its requests.
func (m machines) igd(machine, address string) <-chan string {
	requests := make(chan string, 10)
	m.on(machine, func() error {
		web, err := net.Listen("tcp4", address+":0")
		if err != nil {
			return err
		}
		go func() { _ = http.Serve(web, igdPages(requests)) }()
		i, err := net.InterfaceByName("house")
		if err != nil {
			return err
		}
		c, err := net.ListenMulticastUDP("udp4", i, &net.UDPAddr{IP: net.IPv4(239, 255, 255, 250), Port: 1900})
		if err != nil {
			return err
		}
		go func() {
			b := make([]byte, 2000)
			for {
				n, from, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				const service = "urn:schemas-upnp-org:service:WANIPConnection:1"
				if strings.Contains(string(b[:n]), "ST: "+service) {
					_, _ = c.WriteTo([]byte("HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=60\r\nEXT:\r\nLOCATION: http://"+web.Addr().String()+
						"/device.xml\r\nST: "+service+"\r\nUSN: uuid:1::"+service+"\r\n\r\n"), from)
				}
			}
		}()
		return nil
	})
	return requests
}

// igdPages serves the description of the router, and its actions.
func igdPages(requests chan<- string) http.Handler {
	pages := http.NewServeMux()
	pages.HandleFunc("/device.xml", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, igdDevice) })
	pages.HandleFunc("/control", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		value := func(name string) string {
			found := regexp.MustCompile("<" + name + ">(.*?)</" + name + ">").FindSubmatch(body)
			if found == nil {
				return ""
			}
			return string(found[1])
		}
		_, action, _ := strings.Cut(strings.Trim(r.Header.Get("SOAPAction"), `"`), "#")
		text := ""
		switch action {
		case "GetExternalIPAddress":
			text = "<NewExternalIPAddress>198.51.100.6</NewExternalIPAddress>"
		default:
			requests <- strings.TrimSpace(strings.Join([]string{action, value("NewExternalPort"), value("NewProtocol"), value("NewInternalClient"), value("NewLeaseDuration")}, " "))
		}
		answer := fmt.Sprintf(`<u:%[1]sResponse xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:1">%[2]s</u:%[1]sResponse>`, action, text)
		if lease := value("NewLeaseDuration"); lease != "" && lease != "0" {
			w.WriteHeader(http.StatusInternalServerError)
			answer = `<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>725</errorCode><errorDescription>OnlyPermanentLeasesSupported</errorDescription></UPnPError></detail></s:Fault>`
		}
		_, _ = io.WriteString(w, `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>`+answer+`</s:Body></s:Envelope>`)
	})
	return pages
}
