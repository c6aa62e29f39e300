#include "core/profile/report.h"

#include "core/base/replace.h"
#include "core/json/json_writer.h"

#include <string_view>

namespace yard::profile {

namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--line:#8884;--weak:#888;--mark:#d80}
body{font:13px/1.45 system-ui,sans-serif;margin:16px 20px}
h1{font-size:17px;margin:0 0 4px}h2{font-size:14px;margin:22px 0 6px}
p{color:var(--weak);margin:0 0 10px}
input{font:inherit;width:24em;padding:3px 6px}
#icicle{position:relative;overflow:hidden;border:1px solid var(--line)}
#icicle div{position:absolute;height:18px;overflow:hidden;white-space:nowrap;box-sizing:border-box;padding:0 4px;
 border:1px solid #0002;color:#111;cursor:pointer;font-size:11px;line-height:16px}
#icicle div.hit{outline:2px solid var(--mark);outline-offset:-2px}
table{border-collapse:collapse;width:100%}
th,td{text-align:right;padding:2px 8px;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
th{cursor:pointer;white-space:nowrap}th:first-child,td:first-child{text-align:left;word-break:break-all}
td small{color:var(--weak)}
canvas{width:100%;display:block;border:1px solid var(--line)}
)css";

constexpr std::string_view kScript = R"js(
const D=JSON.parse(document.getElementById('data').textContent);
const F=D.functions,N=D.nodes,S=D.slices;
const byId=id=>document.getElementById(id);
const ms=n=>(n/1e6).toFixed(3);
N.forEach(n=>{n.kids=[];n.total=n.self[1];});
for(let i=N.length-1;i>=0;i--)if(N[i].parent>=0){N[N[i].parent].total+=N[i].total;N[N[i].parent].kids.push(N[i]);}
N.forEach((n,i)=>{n.i=i;n.kids.sort((a,b)=>b.total-a.total);});
const top0={kids:N.filter(n=>n.parent<0).sort((a,b)=>b.total-a.total),i:-1,parent:-1};
top0.total=top0.kids.reduce((s,n)=>s+n.total,0)||1;
const nameOf=n=>n.i<0?'all':F[n.f].file?F[n.f].name:D.root+' '+F[n.f].name;
const hue=text=>{let h=0;for(const c of text)h=(h*31+c.codePointAt(0))%360;return h;};
let zoom=top0,query='';
function hits(n){return query&&n.i>=0&&F[n.f].name.toLowerCase().includes(query);}
function drawIcicle(){
 const box=byId('icicle'),width=box.clientWidth;box.textContent='';let deepest=0;
 const put=(n,left,size,depth)=>{
  if(size*width<2)return;deepest=Math.max(deepest,depth);
  const cell=document.createElement('div');
  cell.style.left=left*100+'%';cell.style.width=size*100+'%';cell.style.top=depth*19+'px';
  cell.style.background='hsl('+hue(nameOf(n))+' 60% '+(n.i<0?85:72)+'%)';
  if(hits(n))cell.className='hit';
  cell.textContent=nameOf(n);
  cell.title=nameOf(n)+'\n'+ms(n.total)+' ms, '+(100*n.total/top0.total).toFixed(1)+' %'+
   (n.i<0?'':'\nitself '+ms(n.self[1])+' ms, '+n.self[0]+' '+D.counted+'\n'+F[n.f].file+(F[n.f].line?':'+F[n.f].line:''));
  cell.onclick=()=>{zoom=n;drawIcicle();};
  box.appendChild(cell);
  let at=left;for(const kid of n.kids){const part=size*kid.total/(n.total||1);put(kid,at,part,depth+1);at+=part;}
 };
 let depth=0;const up=[];
 for(let n=zoom;n!==top0;){n=n.parent<0?top0:N[n.parent];up.unshift(n);}
 for(const n of up){
  const cell=document.createElement('div');cell.style.left=0;cell.style.width='100%';cell.style.top=depth*19+'px';
  cell.style.background='#bbb';cell.textContent=nameOf(n);cell.onclick=()=>{zoom=n;drawIcicle();};
  box.appendChild(cell);depth++;
 }
 put(zoom,0,1,depth);
 box.style.height=(Math.max(deepest,depth)+1)*19+2+'px';
}
const columns=[['function',r=>r.name],['self ms',r=>r.self[1]],['self %',r=>r.self[1]],['total ms',r=>r.total],
 [D.counted,r=>r.self[0]],['user ms',r=>r.self[2]],['system ms',r=>r.self[3]],['gave way',r=>r.self[4]],
 ['was taken off',r=>r.self[5]],['minor faults',r=>r.self[6]],['major faults',r=>r.self[7]],
 ['bytes allocated',r=>r.self[8]]];
let sortBy=1,down=true;
function drawTable(){
 const rows=D.rows.filter(r=>!query||r.name.toLowerCase().includes(query));
 rows.sort((a,b)=>{const x=columns[sortBy][1](a),y=columns[sortBy][1](b);return (x<y?-1:x>y?1:0)*(down?-1:1);});
 const head=byId('head');head.textContent='';
 columns.forEach((c,i)=>{const th=document.createElement('th');th.textContent=c[0]+(i===sortBy?(down?' \u25be':' \u25b4'):'');
  th.onclick=()=>{if(sortBy===i)down=!down;else{sortBy=i;down=i!==0;}drawTable();};head.appendChild(th);});
 const body=byId('rows');body.textContent='';
 for(const r of rows.slice(0,1000)){
  const tr=document.createElement('tr');const add=(text,small)=>{const td=document.createElement('td');td.textContent=text;
   if(small){const s=document.createElement('small');s.textContent='  '+small;td.appendChild(s);}tr.appendChild(td);};
  add((r.place?'':D.root+' ')+r.name,r.place);add(ms(r.self[1]));add((100*r.self[1]/top0.total).toFixed(1));add(ms(r.total));
  add(r.self[0]);add((r.self[2]/1e3).toFixed(1));add((r.self[3]/1e3).toFixed(1));
  for(let i=4;i<9;i++)add(r.self[i]);body.appendChild(tr);
 }
}
function drawTurns(){
 const canvas=byId('turns'),names=new Map();if(!canvas)return;
 for(const s of S)names.set(s[0],(names.get(s[0])||0)+s[2]);
 const order=[...names].sort((a,b)=>b[1]-a[1]).slice(0,30).map(e=>e[0]);
 const scale=devicePixelRatio||1,width=canvas.clientWidth,height=Math.max(1,order.length)*16;
 canvas.style.height=height+'px';canvas.width=width*scale;canvas.height=height*scale;
 const g=canvas.getContext('2d');g.scale(scale,scale);g.font='11px system-ui,sans-serif';
 const begin=S.length?S[0][1]:0,span=Math.max(1,D.lasted-begin),label=220;
 order.forEach((node,row)=>{
  g.fillStyle='#888';g.fillText(F[N[node].f].name.slice(0,34),4,row*16+12);
  g.fillStyle='hsl('+hue(nameOf(N[node]))+' 60% 50%)';
  for(const s of S)if(s[0]===node)
   g.fillRect(label+(s[1]-begin)/span*(width-label),row*16+3,Math.max(0.5,s[2]/span*(width-label)),11);
 });
}
byId('search').oninput=e=>{query=e.target.value.toLowerCase();drawIcicle();drawTable();};
addEventListener('resize',()=>{drawIcicle();drawTurns();});
drawIcicle();drawTable();drawTurns();
)js";

void writeCost(JsonWriter& writer, const Cost& cost) {
    writer.key("self");
    writer.openArray();
    for (const auto part : kCostParts) writer.integer(static_cast<std::int64_t>(cost.*part));
    writer.closeArray();
}

void writeFunctions(JsonWriter& writer, const Profile& profile) {
    writer.key("functions");
    writer.openArray();
    for (const Function& function : profile.functions) {
        writer.openObject();
        writer.member("name", std::string_view(function.name));
        writer.member("file", std::string_view(function.file));
        writer.member("line", function.line);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeNodes(JsonWriter& writer, const Profile& profile) {
    writer.key("nodes");
    writer.openArray();
    for (const Node& node : profile.nodes) {
        writer.openObject();
        writer.member("f", node.function);
        writer.member("parent", node.parent == kNoParent ? -1 : static_cast<std::int64_t>(node.parent));
        writeCost(writer, node.self);
        writer.closeObject();
    }
    writer.closeArray();
}

std::string dataOf(const Profile& profile) {
    const bool isSampled = profile.counted == Counted::Samples;
    std::string json;
    JsonWriter writer(json);
    writer.openObject();
    writer.member("lasted", profile.lastedMicros);
    writer.member("counted", std::string_view(isSampled ? "samples" : "calls"));
    writer.member("root", rootWord(profile));
    writeFunctions(writer, profile);
    writeNodes(writer, profile);
    writer.key("rows");
    writer.openArray();
    for (const Row& row : rowsOf(profile)) {
        writer.openObject();
        writer.member("name", std::string_view(row.name));
        writer.member("place", std::string_view(row.place));
        writer.member("total", row.totalNanos);
        writeCost(writer, row.self);
        writer.closeObject();
    }
    writer.closeArray();
    writer.key("slices");
    writer.openArray();
    for (const Slice& slice : profile.slices) {
        writer.openArray();
        writer.integer(slice.node);
        writer.integer(static_cast<std::int64_t>(slice.startMicros));
        writer.integer(slice.ranMicros);
        writer.closeArray();
    }
    writer.closeArray();
    writer.closeObject();
    // Nothing in a name ends the element that the data is in.
    std::string safe;
    safe.reserve(json.size());
    for (const char c : json) {
        if (c == '<')
            safe += "\\u003c";
        else
            safe += c;
    }
    return safe;
}

std::string escaped(std::string text) {
    replaceAll(text, "&", "&amp;");
    replaceAll(text, "<", "&lt;");
    return text;
}

/// Samples have none.
std::string turnsPart(const Profile& profile) {
    std::string part = "<h2>Turns of the threads</h2>";
    if (profile.slicesLeftOut > 0)
        part += "<p>The latest; " + std::to_string(profile.slicesLeftOut) + " before them are left out.</p>";
    return part + "<canvas id=\"turns\"></canvas>";
}

} // namespace

std::string htmlPage(const Profile& profile) {
    const bool isSampled = profile.counted == Counted::Samples;
    std::string page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile of ";
    page += escaped(profile.loop);
    page += "</title><style>";
    page += kStyle;
    page += "</style></head><body><h1>Profile of ";
    if (!isSampled) page += "the loop ";
    page += escaped(profile.loop);
    page += "</h1><p>";
    page += std::to_string(profile.lastedMicros / 1000) + " ms, of them " +
            std::to_string(ranNanos(profile) / 1'000'000) + " ms on the processor. ";
    page += isSampled
                ? "Each sample stands for the time since the one before; how often a function was called is not "
                  "known.</p>"
                : "User and system time, switches and faults are shared out by time on the processor.</p>";
    page += "<input id=\"search\" type=\"search\" placeholder=\"Search functions and threads\" autofocus>"
            "<h2>Who called whom</h2><p>Width is time on the processor. A click zooms, a click above goes back.</p>"
            "<div id=\"icicle\"></div>";
    if (!isSampled) page += turnsPart(profile);
    page += "<h2>Functions</h2>"
            "<table><thead><tr id=\"head\"></tr></thead><tbody id=\"rows\"></tbody></table>"
            "<script type=\"application/json\" id=\"data\">";
    page += dataOf(profile);
    page += "</script><script>";
    page += kScript;
    page += "</script></body></html>\n";
    return page;
}

} // namespace yard::profile
